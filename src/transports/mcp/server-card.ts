import { createHash } from "node:crypto";
import { type AllowedHosts, objectionToHost } from "../allowed-hosts.js";
import { describeServer, DESCRIPTION, REGISTRY_NAME } from "./about.js";
import { HTTP_VERSIONS } from "./handshake.js";

/** Where a client that knows only the server's address or host learns how to connect. */
export const CARD_PATHS = ["/mcp/server-card", "/.well-known/ai-catalog.json"] as const;

const CARD_TYPE = "application/mcp-server-card+json";
const CATALOG_TYPE = "application/ai-catalog+json";
const CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

export interface CardOptions {
  readonly version: string;
  readonly allowed: AllowedHosts;
}

/**
 * The server card (SEP-2127), or the catalog that leads to it, by the path of the request. They are public and need no key; a
 * host name that is not this server's gets none, because they repeat it.
 */
export function answerCard(request: Request, { version, allowed }: CardOptions): Response {
  const { method, headers, url } = request;
  const host = { get: (name: string) => (name.toLowerCase() === "host" ? headers.get("host") : null) };
  const objection = objectionToHost(host, allowed);
  if (objection !== null) return Response.json({ error: objection, message: objection }, { status: 403 });
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: READABLE_BY_ALL });
  if (method !== "GET" && method !== "HEAD")
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD, OPTIONS" } });
  const { origin, pathname } = new URL(url);
  const base = allowed.publicUrl ?? origin;
  return pathname === CARD_PATHS[0]
    ? answer(request, CARD_TYPE, describeCard(base, version))
    : answer(request, CATALOG_TYPE, describeCatalog(base));
}

const READABLE_BY_ALL = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "Content-Type",
};

function answer({ method, headers }: Request, type: string, document: unknown): Response {
  const text = JSON.stringify(document);
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  const about = { ...READABLE_BY_ALL, "content-type": type, "cache-control": "public, max-age=3600", etag };
  const isKnown = headers.get("if-none-match")?.includes(etag) ?? false;
  if (isKnown) return new Response(null, { status: 304, headers: about });
  return new Response(method === "HEAD" ? null : text, { status: 200, headers: about });
}

function describeCard(base: string, version: string) {
  const { title } = describeServer(version);
  return {
    $schema: CARD_SCHEMA,
    name: REGISTRY_NAME,
    version,
    title,
    description: DESCRIPTION,
    remotes: [
      {
        type: "streamable-http",
        url: `${base}/mcp`,
        supportedProtocolVersions: HTTP_VERSIONS,
        headers: [
          {
            name: "Authorization",
            description: "`Bearer` and an API key of this server. Programs on the same machine may leave it out.",
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
  };
}

function describeCatalog(base: string) {
  const [namespace = "", name = ""] = REGISTRY_NAME.split("/");
  const publisher = namespace.split(".").toReversed().join(".");
  return {
    specVersion: "1.0",
    entries: [
      {
        identifier: `urn:air:${publisher}:${name}`,
        displayName: describeServer("").title,
        type: CARD_TYPE,
        url: `${base}${CARD_PATHS[0]}`,
      },
    ],
  };
}
