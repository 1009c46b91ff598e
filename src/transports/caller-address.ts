import type { BlockList } from "node:net";
import { isIP } from "node:net";

/** Addresses of trusted proxies. */
export type TrustedProxies = Pick<BlockList, "check">;

/**
 * Address of the sender of a request. Only a trusted proxy is believed about it: the last address of `X-Forwarded-For` that is
 * not a trusted proxy itself counts, because everything before that is the sender's own claim.
 */
export function callerAddressOf(
  headers: Pick<Headers, "get">,
  peerAddress: string | undefined,
  trusted: TrustedProxies | undefined,
): string | undefined {
  let caller = peerAddress && plain(peerAddress);
  if (trusted === undefined || caller === undefined) return caller;
  const passedOn = (headers.get("x-forwarded-for") ?? "").split(",").map((part) => plain(part.trim()));
  while (isAmong(caller, trusted)) {
    const next = passedOn.pop();
    if (next === undefined || isIP(next) === 0) return caller;
    caller = next;
  }
  return caller;
}

function isAmong(address: string, trusted: TrustedProxies): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
}

/** The address without brackets and port, and an IPv4 address mapped to IPv6 as IPv4. */
function plain(address: string): string {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return bare.replace(/^::ffff:(?=\d+\.)/i, "");
}
