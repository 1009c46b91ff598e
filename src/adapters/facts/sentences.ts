import { sentenceSpans, type Span } from "../../language/sentences.js";
import { undoesBefore } from "../../language/english/taken-back.js";
import { takesBack, withCorrection } from "./corrections.js";
import { goesOn } from "./lines.js";
import type { Voice } from "./voice.js";

/** A sentence that may state a fact. */
export interface Sentence {
  /** Verbatim, for the quote. */
  readonly quote: string;
  /** The quote without ornaments, with straight quotation marks and single spaces. */
  readonly text: string;
  /** What was said next takes it back. */
  readonly isTakenBack?: true;
}

const SHORTEST = 6;
const LONGEST = 500;
const FENCE = /^\s{0,3}(?:```|~~~)/;
const ORNAMENT = /^(?:\s*(?:[-*+•>]|\d{1,3}[.)]|\[[ xX]\])\s+)+/;
const SPEAKER = /^\p{Lu}[\p{L} '-]{0,30}: /u;
const HEADER =
  /^\s{0,3}(?:[-*>] {1,3})?(?:\*\*)?(?:from|to|cc|bcc|reply[- ]to|sender|return-path|delivered-to|message-id|received)(?:\*\*)?:/i;
/** What somebody else said, and the line before it. */
const QUOTED = /^\s{0,3}>|\bwrote:\s{0,3}$/;
const BRACKETS = /\[[^[\]]{0,400}\]|\([^()]{0,200}\)/g;
const EMOJI = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f)+|(?:^|\s)[:;]-?[)D(P]/gu;
/** Signs that the sentence asks, supposes, hedges, quotes or jokes. */
const UNSURE =
  /\b(?:if|maybe|perhaps|possibly|might|i guess|i suppose|i wonder|i wish|i hope|hopefully|unless|imagine|pretend|suppose|supposedly|just kidding|not sure|no idea|what if|as if|would have|could have|should have|would love|would like|'d love|'d like|can't wait|cannot wait|looking forward|who knows|for example|e\.g|let's say|as a joke|jokingly|joking|dreamt|dreamed that|in a dream|allegedly|hypothetically|for this exercise|in this (?:scenario|story|game|exercise)|in the (?:novel|story|game|film|movie|play|dream),|role ?play|in another life|rumou?r has it|in theory|in a parallel)\b/i;
/** A wish about the form of answers is one that lasts. */
const WISH_OF_FORM =
  /^i(?:'d| would) (?:like|prefer) (?:you to (?:always |only )?(?:answer|reply|respond|keep)|(?:your )?(?:\w+ )?(?:answers|replies|responses|explanations))\b/i;
/** A question after a comma or a similar mark. */
const QUESTION_TAIL =
  /(?:,| -| —| –|;)(?: (?:so|and|but))? (?:what|how|can|could|do|does|did|is|are|should|would|will|which|where|any|who|when|have|has)\b[^,;]{0,160}\?$/i;
/** "Can you remember that …?" asks for nothing else. */
const TO_REMEMBER =
  /^(?:and |so |also )?(?:(?:can|could|would|will) you )?(?:please )?(?:remember|note|keep in mind|bear in mind|save|store|write down) that ([^?]+?)(?:,? please)?[?.!]*$/i;
const WISH_TAIL =
  /(?:,? (?:and|but|so)|,| -+| —| –|;) (?=(?:(?:i|we) )?(?:(?:would|'d) (?:love|like)|i'd (?:love|like)|might|maybe|perhaps|hope(?:fully)?|wish|can't wait|am not sure|i'm not sure|don't know)\b)[^.]{0,300}[.!]*$/i;
const CODE_SIGN = /[{}<>|\\=]|;(?! \p{L})|=>|\(\)|^\s*(?:#|\/\/|import |const |let |var |def |class |function )/u;

/**
 * The sentences of a text that may state facts, in order: no headings, code, tables, questions or suppositions. Yields null
 * after each line, so that the caller can give way to other tasks even if no line states anything.
 * @param after what was said after the text
 */
export function* statementsOf(text: string, voice: Voice, after = ""): Generator<Sentence | null> {
  const lines = text.split("\n");
  let inFence = false;
  let from = 0;
  let together: string[] = [];
  for (const [index, line] of lines.entries()) {
    const start = from;
    from += line.length + 1;
    yield null;
    const isText = !FENCE.test(line) && !inFence && !isHeading(line) && !isNobodysHere(line, voice);
    if (FENCE.test(line)) inFence = !inFence;
    if (!isText) continue;
    together.push(line);
    if (goesOn(line, lines[index + 1] ?? "", together[0] ?? line)) continue;
    const joined = text.slice(start + line.length - together.join("\n").length, start + line.length);
    together = [];
    if (joined.length < SHORTEST) continue;
    const isUndone = undoesBefore((nextLine(lines, index + 1) ?? after).replace(ORNAMENT, "").replace(SPEAKER, ""));
    yield* statementsOfLine(joined, voice, isUndone);
  }
}

/** "From: a@example.org" describes a mail, not its content; what a named author quotes was said by somebody else. */
function isNobodysHere(line: string, { kind, authors }: Voice): boolean {
  return kind === "document" && (HEADER.test(line) || (authors !== undefined && QUOTED.test(line)));
}

function nextLine(lines: readonly string[], from: number): string | undefined {
  let next = from;
  while (lines[next]?.trim() === "") next += 1;
  return lines[next];
}

function isHeading(line: string): boolean {
  return /^\s{0,3}#{1,6}\s/.test(line);
}

/**
 * @param line one, or several that belong together
 * @param isUndone true if what follows takes its last sentence back
 */
function* statementsOfLine(line: string, voice: Voice, isUndone: boolean): Generator<Sentence> {
  const spans = withWhatTakesBack(line.replaceAll("\n", " "));
  for (const [index, { start, end }] of spans.entries()) {
    if (end - start < SHORTEST || end - start > LONGEST) continue;
    const quote = line.slice(start, end).replace(ORNAMENT, "");
    const said = withCorrection(plain(quote));
    const text = said === null ? "" : withoutTail(said.replace(TO_REMEMBER, "$1."));
    if (text.length < SHORTEST || isUnfit(text, voice)) continue;
    const next = spans[index + 1];
    const undoing = next && undoesBefore(line.slice(next.start, next.end)) ? line.slice(end, next.end) : "";
    const isTakenBack = isUndone && index === spans.length - 1;
    yield { quote: quote + undoing, text, ...(isTakenBack && { isTakenBack }) };
  }
}

/** The sentences of a line, each with the one after it if that takes it back. */
function withWhatTakesBack(line: string): Span[] {
  const spans: Span[] = [];
  for (const span of sentenceSpans(line)) {
    const last = spans.at(-1);
    if (last && takesBack(line.slice(span.start, span.end)))
      spans[spans.length - 1] = { start: last.start, end: span.end };
    else spans.push(span);
  }
  return spans;
}

/** A statement is still one if a question or a wish follows it: "I'm vegan, what can I cook?" */
function withoutTail(text: string): string {
  const asked = text.endsWith("?") ? QUESTION_TAIL.exec(text) : null;
  const stated = asked ? text.slice(0, asked.index) : text;
  const wish = WISH_TAIL.exec(stated);
  return wish ? stated.slice(0, wish.index) : stated;
}

/** Text as rules compare it. The quote keeps the writer's own characters. */
function plain(quote: string): string {
  return quote
    .replace(/[’‘ʼ]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(BRACKETS, " ")
    .replace(EMOJI, " ")
    .replace(/\*\*|__|`/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function isUnfit(text: string, voice: Voice): boolean {
  if (/\?["')]*$/.test(text) || /\?\s/.test(text)) return true;
  if (UNSURE.test(text) && !WISH_OF_FORM.test(text)) return true;
  if (
    /^(?:translate|rewrite|correct|fix|proofread|summari[sz]e|explain|improve|rephrase|shorten|continue|complete|example|quote|lyrics|prompt|title|subject|story|song idea|story idea|plot|joke|poem|riddle|headline|slogan|(?:famous |favou?rite )?quote of the \w+|lyric)\b[^:.]{0,40}:/i.test(
      text,
    )
  )
    return true;
  if (/^(?:let's )?say (?:that )?(?:i|we|you|my|he|she)\b/i.test(text)) return true;
  if (/"[^"]*\b(?:i|my|we|our|you)\b[^"]*"/i.test(text)) return true;
  if (voice.kind === "document" && CODE_SIGN.test(text)) return true;
  return (
    /^(?:who|what|where|when|why|how|which|do|does|did|can|could|would|should|will|are|is|have|has)\b/i.test(text) &&
    !/^(?:when i was|will [a-z]*s |do not )/i.test(text)
  );
}
