import { BlockList, isIP } from "node:net";

/** True for an IP address, of either version, and for nothing else. */
export function isIpAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** What is not reached through the internet (RFC 6890): this machine, its network, and addresses for special use. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["64:ff9b:1::", 48],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv6");

/** True for an IP address of this machine or its own network, also when it is written as an IPv6 one; false for names. */
export function isPrivateAddress(text: string): boolean {
  const version = isIP(text);
  return version !== 0 && PRIVATE.check(text, version === 4 ? "ipv4" : "ipv6");
}
