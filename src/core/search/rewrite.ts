import { relatedRoots, rootOf } from "../../language/english/relations.js";
import { isStopWord, tokenise } from "../../language/words.js";
import { resolveRelativeDates } from "./relative-dates.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Longer texts are not really questions; rules could only spoil them. */
const LONGEST = 1_000;
/** How related a synonym must be, 0 to 1, and how many synonyms there may be per word and in total. */
const SYNONYM = 0.75;
const SYNONYMS_OF_ONE = 2;
const MOST_SYNONYMS = 8;

/** Polite openings of a question; removed for as long as one of them matches. */
const OPENINGS: readonly RegExp[] = [
  /^(?:hey|hi|hello|okay|ok|so|well|um+|uh+|please|quick question|just wondering|by the way|btw)\b[\s,.:;!–-]*/i,
  /^(?:and|but|also)\b[\s,]+(?=\S+\s+\S)/i,
  /^(?:what|how)\s+about\s+/i,
  /^(?:can|could|would|will)\s+you\s+(?:please\s+|maybe\s+)?(?:tell|remind|show|give)\s+me\s+(?:again\s+)?(?:of\s+|about\s+)?/i,
  /^(?:can|could|would|will)\s+you\s+(?:please\s+|maybe\s+)?(?:find|look\s+up|check|search\s+for|search|recall|remember)\s+(?:out\s+)?/i,
  /^(?:please\s+)?(?:tell|remind|show)\s+me\s+(?:again\s+)?(?:of\s+|about\s+)?/i,
  /^do\s+you\s+(?:happen\s+to\s+|still\s+)?(?:know|remember|recall)\s+(?:if|whether|about)?\s*/i,
  /^(?:i\s+(?:was|am)|i'm)\s+(?:just\s+)?(?:wondering|curious)\s*(?:if|whether|about)?[\s,]*/i,
  /^(?:i\s+would|i'd)\s+(?:like|love)\s+to\s+(?:know|hear)\s*(?:if|whether|about)?\s*/i,
  /^i\s+(?:want|need)\s+to\s+know\s*(?:if|whether|about)?\s*/i,
  /^i\s+(?:forgot|forget|can't\s+remember|cannot\s+remember|don't\s+remember|do\s+not\s+remember)\s+/i,
  /^(?:what|anything)\s+do\s+(?:you|we)\s+know\s+about\s+/i,
  /^(?:any|have\s+you\s+an|do\s+you\s+have\s+any)\s+idea\s+(?:of\s+|about\s+)?/i,
];
const ENDINGS: readonly RegExp[] = [
  /[\s,.;!–-]+(?:please|thanks|thank\s+you|many\s+thanks|thx|again)(?:\s+(?:a\s+lot|so\s+much|in\s+advance))?[\s.!?]*$/i,
  /[\s,]+(?:if\s+you\s+(?:know|remember)|by\s+(?:the\s+way|any\s+chance)|do\s+you\s+(?:know|remember))[\s.!?]*$/i,
];

/** `Where does Mia work` -> `Mia work`: the part of a question that a statement would share. */
const ASKED = [
  /^(?:what|which|who|whom|where|when|why|how)(?:'s|\s+(?:is|are|was|were))\s+(.+)$/i,
  /^(?:what|which|who|whom|where|when|why|how(?:\s+(?:often|long|much|many))?)\s+(?:(\S+)\s+)?(?:does|do|did|has|have|had|will|would|can|could|should)\s+(.+)$/i,
  /^(?:is|are|was|were|does|do|did|has|have|had|will|would|can|could|where|when|why|how)\s+(.+)$/i,
];

/** Other forms of a question; null if it would stay unchanged. */
export interface RewrittenQuestion {
  /** Without polite phrases, and with dates for days named relative to today. */
  readonly bare: string | null;
  /** The same as the beginning of a statement, with close synonyms of its words. */
  readonly stated: string | null;
}

/** Rewrites a question by rules for English; other languages are left unchanged. */
export function rewriteByRules(query: string, now: Date): RewrittenQuestion {
  const text = singleSpaced(query);
  if (text === "" || text.length > LONGEST) return { bare: null, stated: null };
  const bare = resolveRelativeDates(stripTalk(text), now);
  const stated = [stateQuestion(bare), ...synonymsOf(bare)].join(" ");
  const isOther = (form: string): boolean => form.toLowerCase() !== text.toLowerCase() && saysMore(form);
  return { bare: isOther(bare) ? bare : null, stated: isOther(stated) ? stated : null };
}

/** True when a form has a content word: a form without any would match everything. */
function saysMore(form: string): boolean {
  return tokenise(form).some((word) => !isStopWord(word));
}

function stripTalk(text: string): string {
  let bare = text;
  for (let changed = true; changed;) {
    changed = false;
    for (const pattern of [...OPENINGS, ...ENDINGS]) {
      const shorter = bare.replace(pattern, "");
      if (shorter === bare || !saysMore(shorter)) continue;
      bare = shorter;
      changed = true;
    }
  }
  return bare;
}

function stateQuestion(text: string): string {
  const question = text.replace(/[\s?!.]+$/, "");
  for (const pattern of ASKED) {
    const parts = pattern
      .exec(question)
      ?.slice(1)
      .filter((part) => part !== undefined);
    if (parts && saysMore(parts.join(" "))) return parts.toReversed().join(" ");
  }
  return question;
}

/** The closest synonyms of each word that is not a name, in base form; the shorter the question, the more it gets. */
function synonymsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const roots = new Set(tokenise(text).map(rootOf));
  const found = new Set<string>();
  for (const [index, word] of words.entries()) {
    // Names have no synonyms; at the beginning of a sentence a capital tells nothing.
    if (index > 0 && /^\p{Lu}/u.test(word)) continue;
    const [folded = ""] = tokenise(word);
    if (isStopWord(folded)) continue;
    const close = [...relatedRoots(rootOf(folded))]
      .filter(([root, relation]) => relation >= SYNONYM && !roots.has(root))
      .sort(([, one], [, other]) => other - one);
    for (const [root] of close.slice(0, SYNONYMS_OF_ONE)) if (found.size < MOST_SYNONYMS) found.add(root);
  }
  return [...found];
}
