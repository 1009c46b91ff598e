import { localActor, type Core } from "../core/index.js";
import { AppError } from "../core/errors.js";
import type { Actor, CallSource, Face } from "../core/types.js";

/** What access checks need to know about an HTTP request. */
export interface Visitor {
  readonly headers: Pick<Headers, "get" | "keys">;
  /** Address of the other end of the connection, if known. */
  readonly peerAddress: string | undefined;
  /** Address of the caller: what a trusted proxy reports, otherwise the other end. Rate limits and records use it. */
  readonly callerAddress: string | undefined;
  /** HTTP version, such as `1.1`. */
  readonly httpVersion: string | undefined;
  /** False when the service also listens to other machines: then everybody needs a key. */
  readonly isLoopbackOnly: boolean;
  /** The port that the service listens on. */
  readonly port: number | undefined;
  /** The interface the request came through, for the audit. */
  readonly face?: Face | undefined;
}

/** The placeholder key that the official client code sends to local servers; it counts as no key. */
const LOCAL_KEY = "local";

/** Names of headers added by proxies, CDNs and hosts: what comes through one may come from anywhere. */
const PROXY_HEADER =
  /^(?:forwarded|via|x-varnish|x-(?:original-)?forwarded(?:-.+)?|.+-(?:ip|addr)|(?:cf|cdn|fastly|fly|proxy|x-(?:vercel|envoy|amzn?|azure|appengine|akamai|nf))-.+)$/;

/** What identifies a visitor. */
export interface Identification {
  readonly core: Core;
  readonly organizationId: string;
  readonly publicUrl?: string | undefined;
  /** True: programs on this machine need a key too. */
  readonly isKeylessOff?: boolean | undefined;
}

/**
 * Who is calling. A key that is sent always decides, so a wrong one never falls back to keyless access.
 * @throws AppError `unauthorized`
 */
export async function identify(
  visitor: Visitor,
  { core, organizationId, publicUrl, isKeylessOff = false }: Identification,
): Promise<Actor> {
  const credential = credentialOf(visitor.headers);
  const call = { actor: localActor(organizationId), from: callSource(visitor) };
  if (credential?.startsWith("sm_")) return core.authenticate(call, credential);
  if (credential !== null && credential !== LOCAL_KEY) {
    const found = issuerOf({ headers: visitor.headers, publicUrl, isLoopbackOnly: visitor.isLoopbackOnly });
    return core.authenticateToken(call, { token: credential, issuer: "issuer" in found ? found.issuer : null });
  }
  const objection = isKeylessOff
    ? "this server requires one from everybody (RECOLLECT_KEYLESS)"
    : objectionToKeyless(visitor, publicUrl);
  if (objection === null) return { ...localActor(organizationId), isKeyless: true };
  throw new AppError(
    "unauthorized",
    `This request has no API key, and ${objection}. Send a key of this server as \`Authorization: Bearer sm_…\` or \`x-api-key\`; \`recollect keys create\` creates one.`,
  );
}

/** Where a request comes from: its address and the program it names. */
export function callSource({ headers, callerAddress, face = "rest" }: Visitor): CallSource {
  const client =
    headers.get("x-sm-source") ?? /^[\w.+-]{1,40}(\/[\w.+-]{1,40})?/.exec(headers.get("user-agent") ?? "")?.[0];
  return { face, ...(callerAddress !== undefined && { address: callerAddress }), ...(client && { client }) };
}

/** The key from `Authorization: Bearer` or `x-api-key`; null when neither header is sent. */
function credentialOf(headers: Pick<Headers, "get">): string | null {
  const authorization = headers.get("authorization");
  if (authorization !== null) return /^bearer\s+(.*)$/i.exec(authorization)?.[1]?.trim() ?? authorization;
  return headers.get("x-api-key");
}

/**
 * Why a request needs a key, or null when it does not. Web pages may call this service from any origin, and through a name of
 * their own that resolves to this machine, so both signs of a browser are refused. Whatever a proxy forwards comes from this
 * machine too: nginx with nothing but `proxy_pass` speaks HTTP/1.0, and port forwarders leave the original host name.
 */
function objectionToKeyless(visitor: Visitor, publicUrl: string | undefined): string | null {
  const { headers, peerAddress, httpVersion, isLoopbackOnly, port } = visitor;
  if (publicUrl !== undefined) return "this server has a public address (RECOLLECT_PUBLIC_URL)";
  if (!isLoopbackOnly) return "this server accepts connections from other machines";
  if (!isLoopbackAddress(peerAddress)) return "it does not come from this machine";
  if (headers.get("origin") !== null) return "it comes from a web page";
  if (["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "")) return "it comes from a web page";
  if (!isLoopbackHost(headers.get("host"))) return "its Host header does not name this machine";
  if (portOf(headers.get("host")) !== port) return "its Host header names a different port than this server's";
  if (httpVersion !== "1.1") return "it uses an older version of HTTP than programs on this machine do, as proxies may";
  if (comesThroughProxy(headers)) return "it comes through a proxy";
  return null;
}

/** The port in a `Host` header, 80 where it names none. */
function portOf(host: string | null): number {
  return Number(/:(\d{1,5})$/.exec(host ?? "")?.[1] ?? 80);
}

/** True when a proxy left its mark on the request; anybody can forge it, so it may restrict but never grant. */
export function comesThroughProxy(headers: Pick<Headers, "keys">): boolean {
  return [...headers.keys()].some((name) => PROXY_HEADER.test(name));
}

/** What apps may ask for, as OAuth scopes. */
export const MEMORY_SCOPES = ["memory:read", "memory:write"] as const;

/** The issuer under which apps sign in here and tokens are valid, or why there is none. */
export type Issuer = { readonly issuer: string } | { readonly objection: string };

/**
 * The public URL where there is one. Otherwise, on a server for this machine only, the name and port of the request: to apps
 * each of them is a separate server, so staying signed in needs a fixed port.
 */
export function issuerOf({
  headers,
  publicUrl,
  isLoopbackOnly,
}: {
  readonly headers: Pick<Headers, "get">;
  readonly publicUrl?: string | undefined;
  readonly isLoopbackOnly: boolean;
}): Issuer {
  if (publicUrl !== undefined) {
    const { protocol, host, origin } = new URL(publicUrl);
    if (protocol === "https:" || isLoopbackHost(host)) return { issuer: origin };
    return { objection: "Apps can sign in only over https. Set RECOLLECT_PUBLIC_URL to an https address." };
  }
  const host = headers.get("host")?.toLowerCase();
  if (isLoopbackOnly && isLoopbackHost(host)) return { issuer: new URL(`http://${host}`).origin };
  return {
    objection:
      "This server accepts connections from other machines, so apps can sign in only over https. Set RECOLLECT_PUBLIC_URL to the https address of this server.",
  };
}

/** True for an address that only this machine has. */
export function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === "::1" || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/i.test(address);
}

/** True for a `Host` header, with or without a port, that means this machine whatever DNS says. */
export function isLoopbackHost(host: string | null | undefined): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(host ?? "")?.[1]?.toLowerCase();
  return name === "localhost" || name === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name ?? "");
}
