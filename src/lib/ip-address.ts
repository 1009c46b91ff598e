import { BlockList, isIP, isIPv4 } from "node:net";

/** True only for an IP address of either version. */
export function isIpAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** Addresses of networks that only this machine can reach (RFC 6890), or that lead nowhere. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // The metadata service of a cloud, at an address that looks public.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv6");

/** True for an address in a private network, in any notation; false for names. */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address.replace(/%.*$/, "");
  const family = isIP(plain);
  return family !== 0 && PRIVATE.check(plain, family === 6 ? "ipv6" : "ipv4");
}

/** True for a name or address to listen on that only this machine can reach. */
export function isLoopbackName(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

const GROUPS = 8;

/**
 * The key under which attempts from an address are counted: an IPv4 address in any notation, or the /64 of an IPv6
 * address, because whoever has one address of it has all of them. Anything else is returned as it is.
 */
export function networkOf(address: string): string {
  const bare = address.replace(/%.*$/, "");
  if (isIP(bare) !== 6) return address;
  const [head = "", tail] = new URL(`http://[${bare}]/`).hostname.slice(1, -1).split("::");
  const left = head.split(":").filter((group) => group !== "");
  const right = tail?.split(":").filter((group) => group !== "") ?? [];
  const groups = [...left, ...Array.from({ length: GROUPS - left.length - right.length }, () => "0"), ...right];
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return `${groups.slice(0, 4).join(":")}::/64`;
  const bytes = groups.slice(6).flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]);
  return bytes.join(".");
}
