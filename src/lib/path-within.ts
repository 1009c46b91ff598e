import { isAbsolute, relative, sep } from "node:path";

/** True for a folder itself and everything below it, judging by paths alone: links are not followed. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}
