import { isIP } from "node:net";
import { isLoopbackHost } from "./auth.js";
import { truncate } from "../lib/truncate.js";

/** Names by which browsers may call this server, besides its own. */
export interface AllowedHosts {
  /** Where the server is reached from outside, such as `https://memory.example`. */
  readonly publicUrl?: string | undefined;
  /** Further values of `Host`, with their port unless it is the default one. */
  readonly hosts?: readonly string[] | undefined;
  /** Further origins of web pages. */
  readonly origins?: readonly string[] | undefined;
}

/**
 * Why a request's `Host` or `Origin` forbids it, or null when it is allowed. A foreign page can make a browser call this machine
 * under a name of that page's own (DNS rebinding); the Host header then holds this name. A numeric address cannot be such a
 * name.
 */
export function objectionToHost(headers: Pick<Headers, "get">, allowed: AllowedHosts): string | null {
  const host = headers.get("host")?.toLowerCase() ?? "";
  if (!isAllowedHost(host, allowed))
    return `The Host header ${quote(host)} is not a name of this server. ${adviceOn(allowed)}`;
  const origin = headers.get("origin");
  if (origin === null || isAllowedOrigin(origin, allowed)) return null;
  return `Web pages from ${quote(origin)} may not call this server. To allow them, add the origin to RECOLLECT_ALLOWED_ORIGINS.`;
}

function adviceOn({ publicUrl }: AllowedHosts): string {
  if (publicUrl === undefined) return "Set RECOLLECT_PUBLIC_URL, or add the name to RECOLLECT_ALLOWED_HOSTS.";
  return `According to RECOLLECT_PUBLIC_URL, it is reached as ${new URL(publicUrl).host}: make the proxy pass on the Host header unchanged, or add the name to RECOLLECT_ALLOWED_HOSTS.`;
}

function isAllowedHost(host: string, { publicUrl, hosts = [] }: AllowedHosts): boolean {
  if (isLoopbackHost(host)) return true;
  const name = /^\[(.*)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, "");
  if (isIP(name) !== 0) return true;
  const ours = publicUrl === undefined ? [] : [new URL(publicUrl).host];
  return [...ours, ...hosts].some((known) => known.toLowerCase() === host);
}

function isAllowedOrigin(origin: string, { publicUrl, origins = [] }: AllowedHosts): boolean {
  if (!URL.canParse(origin)) return false;
  if (isLoopbackHost(new URL(origin).host)) return true;
  const ours = publicUrl === undefined ? [] : [new URL(publicUrl).origin];
  return [...ours, ...origins].some((known) => known.toLowerCase() === origin.toLowerCase());
}

function quote(text: string): string {
  return JSON.stringify(truncate(text, 100));
}
