import { tellingPhrase } from "./noun-phrases.js";
import {
  fromItsThing,
  isClosing,
  isMonthOrDay,
  isPlainHeading,
  isPleasantry,
  saysNothing,
  withoutSalutation,
} from "./passed-over.js";
import { sentenceSpans } from "./sentences.js";
import { canonicalRole, readSpeakerLabel } from "./speakers.js";
import { truncate } from "../lib/truncate.js";
import { isForeign } from "./words.js";
import { singleSpaced } from "../lib/single-spaced.js";

const TITLE_LENGTH = 80;
const READ = 8_000;
const LONGEST_LINE = 500;
/** Only the top lines are searched for a text's own title. */
const TOP_LINES = 30;
/** Sentences that are searched for the most telling phrase. */
const SENTENCES = 40;

/** In characters; a third of this in scripts without spaces between words. */
const SHORTEST_CLAUSE = 24;

const SUBJECT =
  /^(?:subject|title|topic|re|aw|wg|fwd?|betreff|titel|thema|objet|titre|sujet|asunto|t[ií]tulo|tema|oggetto|titolo|onderwerp|assunto|ämne|emne|件名|主题|标题)\*{0,2} {0,2}[:：]\*{0,2} {0,3}(?=\S)/iu;
const REPLY = /^(?:(?:re|aw|antw|fwd?|wg|tr|sv|vs)(?:\[\d{1,3}\])?: {0,3}){1,8}/iu;
const QUOTATION_MARKS = /^["“”„«»'‘’`]+(?=\S)|["“”„«»'‘’`]+$/gu;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** What marks a line as a heading, a comment, a quotation or a list item. */
const MARKS = /^[\s#>*_\-=[{"/•·–+~|`]+/u;
const CAPTION_END = /[\p{L}\p{N})\]%"”’'+#]:?$/u;
/** Names that files are given automatically. */
const USUAL_NAME =
  /^(?:untitled|unnamed|unbenannt|document|doc|file|scan|img|image|dsc|pxl|photo|screenshot|screen shot|new|note|notes|text|readme|index|main|temp|tmp|draft|export|download|page|data|attachment|clipboard|paste|message|memo|mail|email|test|output|copy|x|a|b)?[\W_\d]*(?:\.[a-z0-9]{1,8})?$/iu;
const MADE_NAME = /^[0-9a-f-]{8,}(?:\.[a-z0-9]{1,8})?$/iu;

/**
 * What a text can be called: its own heading or subject, else the name of its file, its only short statement, a caption, its
 * most telling noun phrase or its first statement. Greetings, dates and boilerplate are skipped if there is anything else.
 * @param path the path of its file, if it has one
 * @returns at most 80 characters on one line, cut between words; null if the text has no words
 */
export function titleOf(text: string, path?: string | null): string | null {
  const lines = linesOf(text);
  const title =
    ownTitle(lines) ?? fileName(path) ?? shortText(lines) ?? caption(lines) ?? phrase(lines) ?? opening(lines);
  return title === null ? null : shorten(title);
}

/** True for a text that says more than a greeting. */
export function hasSubject(text: string): boolean {
  return sentencesOf(linesOf(text)).length > 0;
}

/** True if a title is just the first words of a text, as used when nothing else is known of it. */
export function isOpeningOf(text: string, title: string): boolean {
  const line = text
    .slice(0, 4_000)
    .split("\n")
    .map((one) => one.replace(MARKS, "").trim())
    .find((one) => /\p{L}|\p{N}/u.test(one));
  return line !== undefined && truncate(line, TITLE_LENGTH) === title;
}

/** At most 80 characters, cut between words if there is more than one; an ellipsis stands for the rest. */
function shorten(title: string): string {
  const line = singleSpaced(title);
  if (line.length <= TITLE_LENGTH) return line;
  const head = truncate(line, TITLE_LENGTH - 1);
  const isWhole = /\s/u.test(line[head.length] ?? "");
  const ends = isWhole ? head.length : lastWordEnd(line, head.length);
  const kept = line.slice(0, ends).replace(/[\s,;:–—(-]+$/u, "");
  return kept === "" ? truncate(line, TITLE_LENGTH) : `${kept}…`;
}

/** Where the last whole word before `limit` ends; 0 if there is none. Handles languages without spaces too. */
function lastWordEnd(line: string, limit: number): number {
  const words = new Intl.Segmenter("und", { granularity: "word" });
  const at = words.segment(line.slice(0, limit + TITLE_LENGTH)).containing(limit);
  const start = at?.index ?? 0;
  // A path or a web address counts as one word.
  const space = line.lastIndexOf(" ", limit);
  return WITHOUT_SPACES.test(line.slice(space + 1, limit)) ? start : Math.max(space, 0);
}

interface Line {
  /** Without its marks and a leading role. */
  readonly words: string;
  readonly raw: string;
  readonly next: string;
}

/** Lines that have words, leaving out fenced code and what follows the closing of a letter. */
function linesOf(text: string): Line[] {
  const lines = text
    .slice(0, READ)
    .replace(/^\ufeff/u, "")
    .split(/\r?\n|\r/u)
    .map((line) => line.slice(0, LONGEST_LINE));
  const found: Line[] = [];
  let isFenced = false;
  for (const [index, raw] of lines.entries()) {
    if (/^\s{0,3}(?:```|~~~)/u.test(raw)) isFenced = !isFenced;
    else if (!isFenced || found.length === 0) {
      const words = withoutRole(raw.replace(MARKS, "").trim());
      if (found.length > 0 && isClosing(words)) break;
      if (/\p{L}|\p{N}/u.test(words)) found.push({ words, raw, next: lines[index + 1] ?? "" });
    }
  }
  return found;
}

/** Without a leading "User:". */
function withoutRole(line: string): string {
  const label = readSpeakerLabel(line);
  return label && canonicalRole(label.label) !== null ? line.slice(label.length).trim() : line;
}

/** The title that a text gives itself in a heading, or in the head of a letter, a page or a record. */
function ownTitle(lines: readonly Line[]): string | null {
  let isBefore = true;
  for (const line of lines.slice(0, TOP_LINES)) {
    const heading = headingIn(line, isBefore);
    if (heading !== null && !isPlainHeading(heading)) return heading;
    if (heading === null && !saysNothing(line.words)) isBefore = false;
  }
  return null;
}

/** @param isBefore true if nothing has been said yet: a heading of any level is then that of the whole text */
function headingIn({ words, raw, next }: Line, isBefore: boolean): string | null {
  const subject = SUBJECT.exec(words);
  if (subject && (isBefore || /^(?:subject|betreff|objet|asunto|oggetto)/iu.test(words)))
    return bare(words.slice(subject[0].length));
  const level = /^\s{0,3}(#{1,6}) /u.exec(raw)?.[1]?.length ?? (/^= \S/u.test(raw) ? 1 : 0);
  if (level === 1 || (level > 0 && isBefore)) return bare(words);
  if (/^={3,}\s*$/u.test(next) || (isBefore && /^(?:-{3,}|~{3,})\s*$/u.test(next) && !/^[-|+]/u.test(raw)))
    return bare(words);
  const tagged =
    /<(?:title|h1)(?:\s[^<>]{0,200})?>([^<>]{1,200})/iu.exec(raw) ??
    /^\s{0,3}(?:\\title\{|#\+title: {0,3})([^{}]{1,200})/iu.exec(raw);
  if (tagged?.[1] !== undefined) return bare(tagged[1]);
  const field = /^\s{0,12}[{[]{0,2}\s{0,3}"(?:title|subject|name|headline)"\s{0,3}:\s{0,3}"([^"\\]{2,200})"/iu.exec(
    raw,
  );
  return field?.[1] !== undefined ? bare(field[1]) : null;
}

/** Without the marks of a heading or a reply. */
function bare(heading: string): string {
  return heading
    .replace(/[\s#*_`]+$/u, "")
    .replace(REPLY, "")
    .replace(QUOTATION_MARKS, "")
    .replaceAll(/\*\*|__|`/gu, "")
    .replace(/^\[([^[\]]{1,200})\]\([^()]{0,300}\)/u, "$1")
    .trim();
}

/** The name of a file, unless it was given automatically. */
function fileName(path: string | null | undefined): string | null {
  const name =
    path
      ?.split(/[/\\]/u)
      .findLast((part) => part !== "")
      ?.slice(0, LONGEST_LINE)
      .trim() ?? "";
  return name === "" || USUAL_NAME.test(name) || MADE_NAME.test(name) ? null : name;
}

/** A text of one short statement is its own title. */
function shortText(lines: readonly Line[]): string | null {
  const [only, ...others] = lines.flatMap(({ words }) => tellingPart(words) ?? []);
  if (only === undefined || others.length > 0 || only.length > TITLE_LENGTH) return null;
  return only !== lines[0]?.words && isForeign(only) ? fromItsThing(only) : only;
}

/** A line without the greeting and pleasantries at its start; null when nothing is left. */
function tellingPart(line: string): string | null {
  if (saysNothing(line)) return null;
  const rest = withoutSalutation(line);
  const sentences = sentenceSpans(rest).map(({ start, end }) => rest.slice(start, end));
  const first = sentences.findIndex((sentence) => !isPleasantry(sentence));
  return first === -1 ? null : rest.slice(rest.indexOf(sentences[first] ?? ""));
}

/** A first line that is not a sentence: "Trip to Rome", "Shopping list:". */
function caption(lines: readonly Line[]): string | null {
  const first = lines.find(({ words }) => tellingPart(words) !== null && !isPlainHeading(words));
  if (!first || first.words.length > TITLE_LENGTH || /^\s*(?:[-*•+]|\d{1,3}[.)])\s/u.test(first.raw)) return null;
  const { words, next } = first;
  if (!CAPTION_END.test(words) || /[.!?] /u.test(words) || /[;{}<>=]|\t|,.*,.*,/u.test(words)) return null;
  const isAlone = next.trim() === "" || /^\s*(?:[-*•+]|\d{1,3}[.)]|[\p{L} ]{1,30}:)\s/u.test(next);
  return isAlone && words.split(" ").length <= 12 ? words.replace(/:$/u, "") : null;
}

function sentencesOf(lines: readonly Line[]): string[] {
  const parts = lines.flatMap(({ words }) => tellingPart(words) ?? []);
  const text = parts.join("\n");
  const sentences = sentenceSpans(text)
    .slice(0, SENTENCES)
    .map(({ start, end }) => text.slice(start, end));
  return sentences
    .flatMap((sentence, at) => {
      if (isCutInDate(sentences[at - 1] ?? "", sentence)) return [];
      const next = sentences[at + 1] ?? "";
      return isCutInDate(sentence, next) ? `${sentence} ${next}` : sentence;
    })
    .filter((sentence) => !isPleasantry(sentence));
}

function phrase(lines: readonly Line[]): string | null {
  const sentences = sentencesOf(lines);
  if (isForeign(sentences.join("\n").slice(0, LONGEST_LINE))) return null;
  const found = tellingPhrase(sentences);
  return found === null ? null : `${found.slice(0, 1).toUpperCase()}${found.slice(1)}`;
}

/** The first statement or, failing that, the first line that has words. */
function opening(lines: readonly Line[]): string | null {
  const [first] = sentencesOf(lines);
  if (first === undefined) return lines[0]?.words ?? null;
  return isForeign(first) || WITHOUT_SPACES.test(first) ? firstClause(fromItsThing(first)) : first;
}

/** "am 3. Mai" does not end a sentence after "3.". */
function isCutInDate(sentence: string, next: string): boolean {
  return /(?:^|\s)\d{1,2}\.$/u.test(sentence) && isMonthOrDay(/^\p{L}+/u.exec(next)?.[0] ?? "");
}

/** The start of a sentence too long for a title, up to a comma or similar, if that is long enough to be telling. */
function firstClause(sentence: string): string {
  if (sentence.length <= TITLE_LENGTH) return sentence;
  const ends = [...sentence.slice(0, TITLE_LENGTH).matchAll(/[,;:](?= )|[，、；：]| [–—](?= )/gu)].map(
    ({ index }) => index,
  );
  const end = ends.findLast((at) => at >= (WITHOUT_SPACES.test(sentence) ? SHORTEST_CLAUSE / 3 : SHORTEST_CLAUSE));
  return end === undefined ? sentence : sentence.slice(0, end);
}
