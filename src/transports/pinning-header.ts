import { editDistance } from "../lib/edit-distance.js";

/** Header by which MCP clients pin all calls to one container (contract 7.5). */
export const PINNING_HEADER = "x-sm-project";
const MOST_DIFFERENT = 2;
/** Wrong names under which it is sent. */
const OTHER_NAMES =
  /^x-(?:container|(?:sm|supermemory|recollect)-(?:container|namespace|proj|project|space|tag|tenant|user|workspace))s?(?:-?(?:id|tags?))?$/;

/** The header by which a request tries to pin a container: the right one, a similar one, or undefined. */
export function findPinning(headers: Headers): string | undefined {
  for (const name of headers.keys()) if (isLikePinning(name)) return name;
  return undefined;
}

function isLikePinning(name: string): boolean {
  if (OTHER_NAMES.test(name.replaceAll("_", "-"))) return true;
  if (!name.startsWith("x") || Math.abs(name.length - PINNING_HEADER.length) > MOST_DIFFERENT) return false;
  return editDistance(name.replaceAll("_", "-"), PINNING_HEADER) <= MOST_DIFFERENT;
}
