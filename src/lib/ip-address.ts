import { isIP } from "node:net";

/** True for an IP address, of either version, and for nothing else. */
export function isIpAddress(text: string): boolean {
  return isIP(text) !== 0;
}
