import { arxiv } from "./arxiv.js";
import { github } from "./github.js";
import type { FetchContent, KnownPlace } from "./known-place.js";
import { x } from "./x.js";
import { youtube } from "./youtube.js";

const PLACES: readonly KnownPlace[] = [github, arxiv, youtube, x];

/** How to fetch the content behind an address on a known site; null for all others, which are read as the pages they are. */
export function knownContent(url: URL): FetchContent | null {
  for (const place of PLACES) {
    const content = place.find(url);
    if (content) return content;
  }
  return null;
}
