import { isStopWord } from "../words.js";
import { backgroundShare, COMMON_SHARE, RARE_SHARE } from "./common-words.js";
import { conceptsOf, rootOf } from "./relations.js";

/** A compound that some write as one word and others as two: `lakeside` and `lake side`. Folded. */
export interface Compound {
  readonly whole: string;
  readonly parts: readonly [string, string];
  /** True when its parts are typical of compounds. */
  readonly isLikely: boolean;
}

const SHORTEST_WHOLE = 6;
const LONGEST_WHOLE = 24;
const SHORTEST_PART = 3;
const SHORTEST_AFTER_PREFIX = 4;
/** Shorter heads also end words that are not compounds: `sup port`. */
const SHORTEST_SURE_HEAD = 5;
const MOST_SPLITS = 2;
const MOST_JOINED = 6;
/** Prefixes that are joined to a word with a hyphen, without one, or with a space. */
const PREFIXES: ReadonlySet<string> = new Set(
  "anti co de e ex mid multi non off over post pre re self semi sub un under".split(" "),
);
/** Prefixes that few other words begin with; `reaction` is not `re action`. */
const CLEAR_PREFIXES: ReadonlySet<string> = new Set("anti co mid multi non self semi".split(" "));
/** Function words that end or begin compounds: `workout`, `make up`, `overnight`. */
const PARTICLES: ReadonlySet<string> = new Set("up out off over under down back away through".split(" "));
/** Words that many compounds end in. */
const HEADS: ReadonlySet<string> = new Set(
  (
    "bag ball band bath bed bell belt berries berry bike bird board boat book box boy brush cake camp card case chain chair coat cream " +
    "cycle day desk door dress drop fall farm field fire fish fit flower flow folder friend front game girl glass grass ground guard gun " +
    "hall hold hole home house keeper kit land lace life light line list lock log maker man map mark mate men mill mine mother night note " +
    "page paper park pipe place plan plane plant play plug point pool port post pot print proof rail rest road rock roof room root rope " +
    "sack shelf shell ship shirt shoe shop shot show sick side site skin skirt space sport spot stand step stick stone store storm " +
    "stream suit table tail tape time tip top town track trip wall ward ware wash watch water wave way wear week wife wind woman women wood " +
    "word work worker world worm writer yard year"
  ).split(" "),
);
const NEIGHBOURS = /(?<![\p{L}\p{N}])(\p{L}+)(?=[ \u2010-\u2011-]{1,2}(\p{L}+))/gu;

/** The compounds that neighbouring words of a text may form, in order, at most six. */
export function joinNeighbours(text: string): Compound[] {
  const joined: Compound[] = [];
  for (const { 1: one = "", 2: other = "", index } of text.matchAll(NEIGHBOURS)) {
    if (joined.length >= MOST_JOINED) break;
    // Names within a sentence have only one spelling.
    if (startsHigh(other) || (index > 0 && startsHigh(one))) continue;
    const [first, second] = [one.toLowerCase(), other.toLowerCase()];
    const whole = first + second;
    if (whole.length < SHORTEST_WHOLE || whole.length > LONGEST_WHOLE) continue;
    if (mayBegin(first) && mayEnd(second) && !(isStopWord(first) && isStopWord(second)))
      joined.push({ whole, parts: [first, second], isLikely: isLikely(first, second) });
  }
  return joined;
}

function isLikely(first: string, second: string): boolean {
  if (PREFIXES.has(first)) return true;
  if (/(?:s|ed|ing)$/.test(first)) return false;
  return PARTICLES.has(second) || (isHead(second) && backgroundShare(rootOf(first)) <= COMMON_SHARE);
}

function startsHigh(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

function mayBegin(word: string): boolean {
  return PREFIXES.has(word) || PARTICLES.has(word) || (word.length >= SHORTEST_PART && !isStopWord(word));
}

function mayEnd(word: string): boolean {
  return PARTICLES.has(word) || (word.length >= SHORTEST_PART && !isStopWord(word));
}

const CACHED_WORDS = 5_000;
const splitsByWord = new Map<string, readonly Compound[]>();
const NONE: readonly Compound[] = [];

/** The pairs of words that may make up a folded word, judged by English vocabulary, likeliest first, at most two. */
export function splitWord(whole: string): readonly Compound[] {
  if (whole.length < SHORTEST_WHOLE || whole.length > LONGEST_WHOLE || !/^[a-z]+$/.test(whole)) return NONE;
  const known = splitsByWord.get(whole);
  if (known) return known;
  if (splitsByWord.size >= CACHED_WORDS) splitsByWord.clear();
  const splits: { readonly compound: Compound; readonly likely: number }[] = [];
  for (let end = 1; end <= whole.length - 2; end++) {
    const [first, second] = [whole.slice(0, end), whole.slice(end)];
    const likely = likelihoodOf(whole, first, second);
    if (likely > 0) splits.push({ compound: { whole, parts: [first, second], isLikely: true }, likely });
  }
  splits.sort((one, other) => other.likely - one.likely);
  const best = splits.slice(0, MOST_SPLITS).map(({ compound }) => compound);
  splitsByWord.set(whole, best);
  return best;
}

function likelihoodOf(whole: string, first: string, second: string): number {
  if (!isKnown(second) && !PARTICLES.has(second) && !isHead(second)) return 0;
  if (PREFIXES.has(first) && second.length >= SHORTEST_AFTER_PREFIX)
    return CLEAR_PREFIXES.has(first) || !isKnown(whole) ? 2 : 0;
  // `workshop` is not `works hop`.
  if (first.length < SHORTEST_PART || first.endsWith("s")) return 0;
  if (isHead(second) && !isKnown(first)) return second.length >= SHORTEST_SURE_HEAD || second === "ball" ? 1 : 0;
  if (isHead(second)) return 4;
  return isKnown(first) && (PARTICLES.has(second) || !isKnown(whole)) ? 3 : 0;
}

/** Plurals count as well: `notebooks`. */
function isHead(word: string): boolean {
  return HEADS.has(word) || (word.endsWith("s") && HEADS.has(word.slice(0, -1)));
}

function isKnown(word: string): boolean {
  if (word.length < SHORTEST_PART) return false;
  const root = rootOf(word);
  return conceptsOf(root).length > 0 || backgroundShare(root) > RARE_SHARE;
}
