import { backgroundShare } from "../../language/english/common-words.js";
import { contentRoot, relatedRoots } from "../../language/english/relations.js";
import { tokenise } from "../../language/words.js";

/** At or above this, a word is a synonym or a kind of the other; below it they are merely related. */
const CLOSE = 0.5;
const SAME = 0.8;
/** More frequent words say little on their own, and have too many meanings to follow. */
const COMMON = 0.001;

/** A subject as named by people. */
export interface ProfileSubject {
  /** Every word of it counts. */
  readonly name: string;
  readonly description?: string;
  /** True: besides its own words only those with about the same meaning count, none that are merely associated. */
  readonly isNarrow?: boolean;
}

/**
 * A text is about a subject if it shares a distinctive word with it, or a close relative of one: any word of the name, and the
 * uncommon words of the description. Of common words it takes two. Knows the relatives of English words.
 */
export function judgeSubject({ name, description = "", isNarrow = false }: ProfileSubject): (text: string) => boolean {
  const named = rootsOf(name);
  const described = rootsOf(description);
  const own = [...named, ...described.filter(isTelling)];
  const telling = new Set(own);
  for (const root of own)
    for (const [relative, strength] of relatedRoots(root))
      if (strength >= (isTelling(relative) && !isNarrow ? CLOSE : SAME)) telling.add(relative);
  const common = new Set(described.filter((root) => !telling.has(root)));
  return (text) => {
    let shared = 0;
    for (const root of new Set(rootsOf(text))) {
      if (telling.has(root)) return true;
      if (common.has(root)) shared += 1;
    }
    return shared >= 2;
  };
}

function isTelling(root: string): boolean {
  return backgroundShare(root) <= COMMON;
}

function rootsOf(text: string): string[] {
  return tokenise(text)
    .map(contentRoot)
    .filter((root) => root !== "");
}
