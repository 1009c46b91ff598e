import { AppError } from "../../core/errors.js";
import { type Core, localActor } from "../../core/index.js";
import type { Actor, SignIn } from "../../core/types.js";
import { randomSecret } from "../../lib/crypto.js";
import { type AllowedHosts, objectionToHost } from "../allowed-hosts.js";
import { comesThroughProxy, isLoopbackHost } from "../auth.js";
import { formToken } from "./forms.js";
import { redirectAnswer } from "./layout.js";

/** The owner in a signed-in browser. */
export interface Owner {
  readonly actor: Actor;
  readonly signIn: SignIn;
  /** Token of this browser's forms. */
  readonly csrf: string;
  /** Secret of this browser; never on a page. */
  readonly token: string;
}

export interface SessionOptions {
  readonly core: Core;
  readonly organizationId: string;
  readonly allowed: AllowedHosts;
}

/** Identifies the person at a browser by its cookies. */
export interface Sessions {
  /** The owner, or null for a browser that is not signed in. */
  owner(request: Request): Promise<Owner | null>;
  /** The owner, or a redirect to the sign-in page that leads back afterwards. */
  requireOwner(request: Request): Promise<Owner | Response>;
  /** The token of the browser's session, whether or not it is still valid. */
  tokenOf(request: Request): string | undefined;
  /** Headers that set a browser's session, or clear it with null. */
  keep(request: Request, token: string | null): [name: string, value: string][];
  /** For forms of a browser that is not signed in: their token, and the headers that bind the browser to it. */
  stranger(request: Request): { readonly csrf: string; readonly headers: [name: string, value: string][] };
  /** Base URL of this server as this browser reaches it, without a trailing slash. */
  baseUrl(request: Request): string;
}

const SESSION = "recollect_session";
const STRANGER = "recollect_visit";
/** The longest that browsers keep a cookie; the server decides when a sign-in expires. */
const KEPT_SECONDS = 400 * 86_400;
const VISIT_SECONDS = 86_400;
/**
 * Cookies ignore ports. Without TLS, as on the server's own machine, a cookie for all paths would also be sent to the callback
 * servers of programs on that machine.
 */
const SESSION_PATHS = ["/auth", "/v3/auth"];

interface Kept {
  readonly value: string;
  readonly path: string;
  readonly seconds: number;
}

export function createSessions({ core, organizationId, allowed }: SessionOptions): Sessions {
  const call = { actor: localActor(organizationId) };
  const isPublic = allowed.publicUrl?.startsWith("https:") ?? false;

  /** True for a browser that uses the public address; on the machine itself it may still come without TLS. */
  function isSecure({ headers }: Request): boolean {
    return isPublic && (!isLoopbackHost(headers.get("host")) || comesThroughProxy(headers));
  }

  function nameOf(request: Request, name: string): string {
    return isSecure(request) ? `__Host-${name}` : name;
  }

  function cookie(request: Request, name: string, { value, path, seconds }: Kept): string {
    const place = isSecure(request) ? "Path=/; Secure" : `Path=${path}`;
    return `${nameOf(request, name)}=${value}; ${place}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
  }

  const sessions: Sessions = {
    tokenOf: (request) => cookieOf(request, nameOf(request, SESSION)),
    async owner(request) {
      const token = sessions.tokenOf(request);
      if (token === undefined) return null;
      try {
        const { actor, signIn } = await core.checkSignIn(call, { token });
        return { actor, signIn, csrf: formToken(token, "owner"), token };
      } catch (error) {
        // A store outage says nothing about the sign-in.
        if (error instanceof AppError && ["unauthorized", "invalid"].includes(error.kind)) return null;
        throw error;
      }
    },
    async requireOwner(request) {
      const owner = await sessions.owner(request);
      if (owner) return owner;
      const { pathname, search } = new URL(request.url);
      // For a form too: its page is at the same address.
      return redirectAnswer(`/auth/sign-in?next=${encodeURIComponent(pathname + search)}`);
    },
    keep(request, token) {
      const paths = isSecure(request) ? ["/"] : SESSION_PATHS;
      const kept = token === null ? { value: "", seconds: 0 } : { value: token, seconds: KEPT_SECONDS };
      return paths.map((path) => ["set-cookie", cookie(request, SESSION, { ...kept, path })]);
    },
    stranger(request) {
      const known = cookieOf(request, nameOf(request, STRANGER));
      const secret = known ?? randomSecret();
      const made = cookie(request, STRANGER, { value: secret, path: "/auth", seconds: VISIT_SECONDS });
      return { csrf: formToken(secret, "stranger"), headers: known === undefined ? [["set-cookie", made]] : [] };
    },
    baseUrl(request) {
      const { protocol, host } = new URL(request.url);
      return allowed.publicUrl ?? `${protocol}//${request.headers.get("host") ?? host}`;
    },
  };
  return sessions;
}

/** The first of several cookies with one name: browsers put the one with the longest path first. */
function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key = "", ...value] = pair.split("=");
    if (key.trim() === name) return value.join("=").trim() || undefined;
  }
  return undefined;
}

/**
 * Refuses requests under a foreign host name, and those sent by another site's page.
 * @throws AppError `forbidden`
 */
export function refuseForeignOrigin(request: Request, allowed: AllowedHosts): void {
  const objection = objectionToHost(request.headers, allowed);
  if (objection !== null) throw new AppError("forbidden", objection);
  if (request.method === "GET" || request.method === "HEAD") return;
  const site = request.headers.get("sec-fetch-site");
  const isForeign = site !== null && site !== "same-origin";
  if (isForeign || !isOwnOrigin(request.headers, allowed))
    throw new AppError("forbidden", "This form was sent from a page of another server.");
}

/** False when a request names an origin other than this server's. */
export function isOwnOrigin(headers: Pick<Headers, "get">, { publicUrl }: AllowedHosts): boolean {
  const origin = headers.get("origin");
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  return origin === publicUrl || new URL(origin).host === headers.get("host")?.toLowerCase();
}
