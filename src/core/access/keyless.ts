import { isLoopbackName } from "../../lib/ip-address.js";
import type { About } from "../context.js";

interface Reach {
  readonly isKeylessOff: boolean;
  readonly publicUrl: string | undefined;
  readonly host: string;
}

/** Whether programs on this machine need no key, and why. */
export function keylessOf({ isKeylessOff, publicUrl, host }: Reach): About["keyless"] {
  if (isKeylessOff) return { isAllowed: false, reason: "RECOLLECT_KEYLESS is off" };
  if (publicUrl !== undefined) return { isAllowed: false, reason: "RECOLLECT_PUBLIC_URL is set" };
  if (!isLoopbackName(host)) return { isAllowed: false, reason: `the service listens on ${host}` };
  return { isAllowed: true, reason: "the service listens only on this machine, and no public address is set" };
}
