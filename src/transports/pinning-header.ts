import { editDistance } from "../lib/edit-distance.js";

/** Header by which MCP clients pin all calls to one container (contract 7.5). */
export const PINNING_HEADER = "x-sm-project";
const MOST_DIFFERENT = 2;
/** What else it is taken to be called. */
const OTHER_NAMES =
  /^x-(?:container|(?:sm|supermemory|recollect)-(?:container|namespace|proj|project|space|tag|tenant|user|workspace))s?(?:-?(?:id|tags?))?$/;

/** The name under which a request wants to be pinned to a container: the right one, one like it, or none. */
export function findPinning(headers: Headers): string | undefined {
  for (const name of headers.keys()) if (isLikePinning(name)) return name;
  return undefined;
}

function isLikePinning(name: string): boolean {
  if (OTHER_NAMES.test(name.replaceAll("_", "-"))) return true;
  if (!name.startsWith("x") || Math.abs(name.length - PINNING_HEADER.length) > MOST_DIFFERENT) return false;
  return editDistance(name.replaceAll("_", "-"), PINNING_HEADER) <= MOST_DIFFERENT;
}
