/** How many statements may be joined, and how many words each may have. */
const MOST_JOINED = 5;
const LONGEST = 12;
/** Number of words that all statements begin with: the subject and the verb. */
const SHARED = 2;
/** Text after one of these words is a clause of its own; joined, it would mean something else. */
const CLAUSE = /\b(?:and|or|but|because|while|when|if|that|which|who|than|is|are|was|were|has|had|does|did|will)\b/i;
const NEGATION = /\b(?:not|never|no|nor|nobody|nothing)\b|n['’]t\b/i;
const MARKS = /[,;:.!?()"\n]/;

/** A statement that says what several others say together. */
export interface JoinedFact {
  readonly text: string;
  /** Indexes of those statements in the list. */
  readonly from: readonly number[];
}

/**
 * Joins short statements with the same beginning: `Mia likes tea` and `Mia likes old maps.` give `Mia likes tea and old maps`.
 * Only plain statements are joined, whose remainders mean the same after a shared beginning; in the order of the list.
 */
export function joinFacts(texts: readonly string[]): JoinedFact[] {
  const groups = new Map<string, { readonly beginning: string; readonly parts: string[]; readonly from: number[] }>();
  for (const [index, text] of texts.entries()) {
    const words = text.trim().replace(/[.!]$/, "").split(/\s+/);
    const beginning = words.slice(0, SHARED).join(" ");
    const rest = words.slice(SHARED).join(" ");
    if (rest === "" || words.length > LONGEST || CLAUSE.test(rest)) continue;
    if ([MARKS, NEGATION].some((pattern) => pattern.test(`${beginning} ${rest}`))) continue;
    const group = groups.get(beginning.toLowerCase()) ?? { beginning, parts: [], from: [] };
    groups.set(beginning.toLowerCase(), group);
    if (group.from.length >= MOST_JOINED || group.parts.includes(rest)) continue;
    group.parts.push(rest);
    group.from.push(index);
  }
  return [...groups.values()]
    .filter(({ from }) => from.length > 1)
    .map(({ beginning, parts, from }) => ({
      text: `${beginning} ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`,
      from,
    }));
}
