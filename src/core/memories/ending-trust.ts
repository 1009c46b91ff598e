import { fold } from "../../language/words.js";
import { yieldTurn } from "../../lib/time.js";
import type { Document, FactCandidate, Origin } from "../types.js";
import { readingOfFact } from "./reading.js";
import { givesOrders, isOutsideSpeaker } from "./trust.js";

/** A text from which facts are read. */
export type SourceText = Pick<Document, "content" | "turns"> & { readonly origin: Origin };

const ENDING_BY_ORDERS = "says that something is over in a text that gives orders to an assistant";
const BESIDE_ORDERS = "stands in a text that gives orders to an assistant";
const OTHERS_WORD = "says that something is over for someone other than its author";

/** How many characters are checked for signs of orders before yielding to other work: about 30 ms. */
const PART = 12_000;
/** Parts overlap by more than any sign can span. */
const STEP = 8_000;
/** How far before and after an ending orders are looked for; farther away they belong to something else. */
const NEARBY = 40_000;

/** The sender header of a mail, forwarded or not. */
const SENDER = /^[>*_ \t]{0,8}(?:from|sender)[*_ \t]{0,4}:[*_ \t]{0,4}(\S[^\n]{0,200})$/imu;
const OWN_NAME = /^(?:me|myself|i|the user|user)\b/i;
const NAME = "\\p{Lu}[\\p{L}'’.-]{0,30}(?: \\p{Lu}[\\p{L}'’.-]{0,30}){0,3}";
const CLOSED = new RegExp(
  "^(?:(?:best|kind|warm|many) (?:regards|wishes|thanks)|best|regards|cheers|sincerely|thanks|thank you|love|yours(?: (?:truly|sincerely|faithfully))?|greetings)" +
    `[,.!]?[ \\t]*\\n\\s{0,8}(${NAME})[ \\t]*$`,
  "imu",
);
const DASHED = new RegExp(`^(?:--|[—–])[ \\t]{0,4}\\n?[ \\t]{0,4}(${NAME})[ \\t]*$`, "mu");
const GREETED = /^\s{0,20}(?:hi|hello|hey|dear)\b/i;
const LAST_LINE = new RegExp(`\\n[ \\t]*\\n[ \\t]*(${NAME})$`, "u");

/** Why a fact may replace nothing until somebody has reviewed it. */
export interface Doubt {
  readonly reason: string;
  /** True if it may not enter a profile as lasting either. */
  readonly mayNotLast: boolean;
}

/**
 * Returns a function that tells why a fact may replace nothing without review: the text gives orders to an assistant, or the
 * fact says something is over and is signed by somebody whom it is not about, or said by another participant of the
 * conversation. Null for every other fact. Each text is scanned once, only near facts that say something is over or that
 * `mayChangeMuch`, yielding to other work in between.
 */
export function doubtOfFacts(
  source: SourceText,
): (candidate: FactCandidate, mayChangeMuch: boolean) => Promise<Doubt | null> {
  const words = new Map<string | undefined, string>();
  const places = new Map<string | undefined, number>();
  const orders = new Map<string, boolean>();
  const ordersIn = async (said: string, start: number, speaker: string | undefined): Promise<boolean> => {
    const place = `${start} ${speaker ?? ""}`;
    const known = orders.get(place);
    if (known !== undefined) return known;
    await yieldTurn();
    const found = givesOrders(said.slice(start, start + PART), { origin: source.origin, speaker });
    orders.set(place, found);
    return found;
  };
  const isNearOrders = async ({ quote, speaker }: FactCandidate): Promise<boolean> => {
    const said = words.get(speaker) ?? wordsOf(source, speaker);
    words.set(speaker, said);
    const at = quote === undefined ? -1 : indexAfter(said, quote, places.get(speaker));
    if (at !== -1) places.set(speaker, at);
    const [from, to] = at === -1 ? [0, said.length] : [Math.max(0, at - NEARBY), at + NEARBY];
    for (let start = from - (from % STEP); start < Math.min(to, said.length); start += STEP)
      if (await ordersIn(said, start, speaker)) return true;
    return false;
  };
  const author = source.turns ? null : authorOf(source.content);
  const isOthersWord = ({ text, quote, speaker }: FactCandidate): boolean => {
    const by = speaker ?? author;
    const isOwn = by === null || OWN_NAME.test(by);
    if (!isOwn && (isOutsideSpeaker(by) || !isAbout(text, by))) return true;
    return !source.turns && isQuotedLine(source.content, quote);
  };
  return async (candidate, mayChangeMuch) => {
    const isOver = saysOver(candidate);
    if (isOver && isOthersWord(candidate)) return { reason: OTHERS_WORD, mayNotLast: false };
    if (!isOver && !mayChangeMuch) return null;
    if (!(await isNearOrders(candidate))) return null;
    return { reason: isOver ? ENDING_BY_ORDERS : BESIDE_ORDERS, mayNotLast: true };
  };
}

/** Facts come in the order of the text: searching all of it for each would take time quadratic in its length. */
function indexAfter(text: string, quote: string, previous = 0): number {
  const next = text.indexOf(quote, previous);
  return next === -1 ? text.indexOf(quote) : next;
}

/** True for a fact that says that something is over, or became something else. */
export function saysOver(candidate: Pick<FactCandidate, "text" | "quote">): boolean {
  const { statement, ending, replacement, transitions, returns } = readingOfFact(candidate);
  if (replacement !== null || transitions.length > 0 || returns !== null) return true;
  return statement !== null && (statement.isNegative || ending !== null);
}

function wordsOf({ content, turns }: SourceText, speaker: string | undefined): string {
  const said = turns?.filter((turn) => speaker === undefined || fold(turn.speaker) === fold(speaker));
  return said ? said.map(({ text }) => text).join("\n") : content;
}

/** The sender or signer of a text; null if it does not say. */
function authorOf(content: string): string | null {
  const sender = SENDER.exec(content) ?? CLOSED.exec(content) ?? DASHED.exec(content);
  const signed = sender ?? (GREETED.test(content) ? LAST_LINE.exec(content.trimEnd()) : null);
  return signed?.[1]?.replace(/^["'“]/u, "") ?? null;
}

/** Compares first names, since most people use nothing else. */
function isAbout(text: string, name: string): boolean {
  return firstWord(text) === firstWord(name);
}

function firstWord(text: string): string {
  const [word = ""] = fold(text).split(/[\s,@<]/, 1);
  return word.replace(/['’]s$/u, "");
}

/** In mail, quoted words of the person being answered follow such a mark. */
function isQuotedLine(content: string, quote: string | undefined): boolean {
  const at = quote === undefined ? -1 : content.indexOf(quote);
  return at !== -1 && /^[ \t]*>/.test(content.slice(content.lastIndexOf("\n", at) + 1, at + 1));
}
