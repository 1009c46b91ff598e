import * as z from "zod";
import { isLoopbackHost } from "../auth.js";
import { truncate } from "../../lib/truncate.js";

/** Schemes of programs known to open their own links once the owner has answered. */
const PROGRAM_SCHEMES: ReadonlySet<string> = new Set([
  "claude:",
  "codex:",
  "cursor:",
  "raycast:",
  "vscode:",
  "vscode-insiders:",
  "warp:",
  "windsurf:",
  "zed:",
]);
const MOST_ADDRESSES = 20;
const LONGEST_ADDRESS = 2_048;
const LONGEST_NAME = 200;
const SHARED_SECRETS: ReadonlySet<unknown> = new Set([
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
]);

/** Why an app may not be redirected to an address, or null when it may. */
export function objectionToRedirect(address: unknown): string | null {
  if (typeof address !== "string" || address.length > LONGEST_ADDRESS || !URL.canParse(address))
    return "every redirect URI must be an absolute address";
  const { protocol, host, hash, username, password } = new URL(address);
  if (hash !== "" || address.includes("#")) return "a redirect URI must not have a fragment";
  if (username !== "" || password !== "") return "a redirect URI must not have a user name or password";
  if (!isPlainHost(address))
    return "the host of a redirect URI must be a name or an address of letters, digits, hyphens and dots";
  if (protocol === "https:" && !isLoopbackHost(host)) return null;
  if (protocol === "http:" && isLoopbackHost(host)) return null;
  if (PROGRAM_SCHEMES.has(protocol)) return null;
  return `a redirect URI must use https, http on the loopback interface, or the scheme of a known program; ${protocol} is none of these`;
}

/** Checked as sent: a parser may read it differently from a browser. Programs of this machine may leave the host out. */
function isPlainHost(address: string): boolean {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(address)?.[1] ?? "";
  return /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])?(?::\d{1,5})?$/i.test(authority);
}

const metadataSchema = z.record(z.string(), z.unknown());

/** What an app says about itself, as far as this server uses it, or what is wrong with it. */
export type ClientReading = { readonly metadata: Record<string, unknown> } | { readonly objection: string };

/**
 * Reads the metadata of an app (RFC 7591). All apps are public clients here, which prove by PKCE that they made the request;
 * other wishes are left out rather than refused, as the RFC allows.
 */
export function readClient(said: unknown): ClientReading {
  const parsed = metadataSchema.safeParse(said);
  if (!parsed.success) return { objection: "the metadata must be a JSON object" };
  const { client_name, client_uri, redirect_uris, grant_types } = parsed.data;
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0)
    return { objection: "redirect_uris must name at least one address" };
  if (redirect_uris.length > MOST_ADDRESSES)
    return { objection: `redirect_uris must name at most ${MOST_ADDRESSES} addresses` };
  const objections = redirect_uris.map((address) => objectionToRedirect(address));
  const objection = objections.find((one) => one !== null);
  if (objection !== undefined && objection !== null) return { objection };
  const staysSignedIn = Array.isArray(grant_types) && grant_types.includes("refresh_token");
  return {
    metadata: {
      ...(typeof client_name === "string" &&
        client_name !== "" && { client_name: truncate(client_name, LONGEST_NAME) }),
      ...(isWebAddress(client_uri) && { client_uri }),
      redirect_uris,
      grant_types: staysSignedIn ? ["authorization_code", "refresh_token"] : ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      // The only type for which a loopback address may have any port (RFC 8252 §7.3).
      application_type: "native",
      id_token_signed_response_alg: "ES256",
    },
  };
}

function isWebAddress(address: unknown): address is string {
  return typeof address === "string" && URL.canParse(address) && new URL(address).protocol === "https:";
}

/**
 * Reads a client ID metadata document. Whatever makes such a document invalid stays in it, so that it is refused.
 * @param document parsed JSON
 */
export function readClientDocument(document: unknown): ClientReading {
  const parsed = metadataSchema.safeParse(document);
  if (!parsed.success) return { objection: "the document must be a JSON object" };
  const { client_id, redirect_uris, token_endpoint_auth_method: method } = parsed.data;
  if (SHARED_SECRETS.has(method) || "client_secret" in parsed.data || "client_secret_expires_at" in parsed.data)
    return { metadata: parsed.data };
  const allowed = Array.isArray(redirect_uris)
    ? redirect_uris.filter((address) => objectionToRedirect(address) === null)
    : redirect_uris;
  const reading = readClient({ ...parsed.data, redirect_uris: allowed });
  return "objection" in reading ? reading : { metadata: { ...reading.metadata, client_id } };
}

/** The host that vouches for an app: that of its document, or of its redirect address. */
export function clientHostOf(clientId: string, redirectUri: string): string {
  if (/^https:\/\//i.test(clientId) && URL.canParse(clientId)) return new URL(clientId).host;
  if (!URL.canParse(redirectUri)) return "unknown";
  const { protocol, host } = new URL(redirectUri);
  if (isLoopbackHost(host)) return "this machine";
  return protocol === "https:" ? host : `the program behind ${protocol}`;
}

const VENDOR_CLIENTS = ["claude-code", "opencode", "openclaw", "codex"];

/** Apps made for the vendor's service, with hard-coded client names (contract 7.2). */
export const KNOWN_CLIENTS = VENDOR_CLIENTS.map((name) => ({
  client_id: `supermemory-${name}`,
  client_name: `supermemory-${name}`,
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code" as const],
  token_endpoint_auth_method: "none" as const,
  application_type: "native" as const,
  id_token_signed_response_alg: "ES256" as const,
}));
