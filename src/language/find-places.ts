import { joinPlaces } from "./cut-out.js";
import { type Folded, foldInTurns, MOST_UNSEEN, phraseOf, type Place, placeOfFolded } from "./find-quote.js";
import { closingsOf, openingsOf, StatementLines } from "./statement-lines.js";
import { yieldTurn } from "../lib/time.js";
import { tokenise } from "./words.js";

/** Words of a text, with their recorded place, if any. */
export interface QuotedPassage {
  readonly quote: string;
  readonly at: Place | null;
}

interface FindOptions {
  /** Offsets at which speech starts, in order, in a text that also names its speakers. */
  readonly turns?: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

/** Text with fewer letters and digits than this would be found anywhere. */
const FEWEST_LETTERS = 2;
/** Shorter text after a name may be something other than speech, such as a number: `Flight: 4417`. */
const FEWEST_WORDS_SAID = 3;
/** Places examined in one turn of the event loop. */
const SEEN_AT_ONCE = 500;

/**
 * Where a text says these passages: at the recorded place if the words still stand there, else where they first occur as
 * whole words; and wherever they are a statement of their own, in sentences or lines, whatever bullet, quotation mark or
 * speaker stands before them. Never part of a word. Yields to other tasks meanwhile; takes linear time.
 * @throws the signal's reason
 */
export async function findPlaces(
  text: string,
  passages: readonly QuotedPassage[],
  { turns = [], signal }: FindOptions = {},
): Promise<Place[]> {
  const folded = await foldInTurns(text, signal);
  const noted: Place[] = [];
  for (const passage of passages) {
    const place = await placeOf(text, folded, passage, signal);
    if (place) noted.push(place);
  }
  const quotes = [...passages.map(({ quote }) => quote), ...noted.map(({ start, end }) => text.slice(start, end))];
  const phrases = new Set(quotes.flatMap(phrasesOf));
  const lines = new StatementLines(text, turns);
  const stated: Place[] = [];
  for (const phrase of phrases)
    for await (const place of occurrencesOf(text, folded, phrase, signal)) {
      const statement = statementAround(lines, place, phrase);
      if (statement && phrases.has(phraseOf(text.slice(statement.start, statement.end)))) stated.push(statement);
    }
  return joinPlaces([...noted, ...stated]);
}

/** The first place of each of these quotations as whole words; null if there is none. @throws the signal's reason */
export async function findFirst(
  text: string,
  quotes: readonly string[],
  signal?: AbortSignal,
): Promise<(Place | null)[]> {
  const folded = await foldInTurns(text, signal);
  const places: (Place | null)[] = [];
  for (const quote of quotes) places.push(await placeOf(text, folded, { quote, at: null }, signal));
  return places;
}

/** Whether a text has any of these quotations as whole words, even amid other words. @throws the signal's reason */
export async function saysAny(text: string, quotes: readonly string[], signal?: AbortSignal): Promise<boolean> {
  const folded = await foldInTurns(text, signal);
  for (const phrase of new Set(quotes.flatMap(phrasesOf)))
    for await (const _ of occurrencesOf(text, folded, phrase, signal)) return true;
  return false;
}

/** The recorded or else the first place of a passage; null if there is none. */
async function placeOf(
  text: string,
  folded: Folded,
  { quote, at }: QuotedPassage,
  signal: AbortSignal | undefined,
): Promise<Place | null> {
  const phrase = phraseOf(quote);
  if (at && phraseOf(text.slice(at.start, at.end)) === phrase) return at;
  for await (const place of occurrencesOf(text, folded, phrase, signal)) if (isShort(place, phrase)) return place;
  return null;
}

/** What a quotation says with and without the marks around it and the name that it begins with. */
function phrasesOf(quote: string): string[] {
  const { starts, labelled } = openingsOf(quote);
  const said = labelled.map((start) => quote.slice(start)).filter((words) => isSaid(phraseOf(words)));
  const marked = starts.flatMap((start) =>
    closingsOf(quote, start, quote.length).map((end) => quote.slice(start, end)),
  );
  return [...marked, ...said].map(phraseOf).filter((phrase) => countLetters(phrase) >= FEWEST_LETTERS);
}

function countLetters(phrase: string): number {
  return phrase.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

function isSaid(phrase: string): boolean {
  return tokenise(phrase).length >= FEWEST_WORDS_SAID;
}

/** A longer place would be full of invisible characters. */
function isShort({ start, end }: Place, phrase: string): boolean {
  return end - start <= phrase.length * 2 + MOST_UNSEEN;
}

/** Where a folded text has a phrase as whole words, in order. */
async function* occurrencesOf(
  text: string,
  folded: Folded,
  phrase: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Place> {
  if (countLetters(phrase) < FEWEST_LETTERS) return;
  let seen = 0;
  for (let at = folded.text.indexOf(phrase); at !== -1;) {
    const place = placeOfFolded(text, folded, at, phrase.length);
    const isPlace = isWhole(text, place) && !MARK.test(folded.text.charAt(at + phrase.length));
    if (isPlace) yield place;
    at = folded.text.indexOf(phrase, at + (isPlace ? phrase.length : 1));
    seen += 1;
    if (seen % SEEN_AT_ONCE === 0) await yieldTurn(signal);
  }
}

/** The statement that these words are part of; null if it is far longer than they are. */
function statementAround(lines: StatementLines, { start, end }: Place, phrase: string): Place | null {
  const from = lines.beginningUpTo(start, isSaid(phrase));
  const to = lines.endFrom(end);
  if (from === undefined || to === undefined) return null;
  return isShort({ start: from, end: to }, phrase) ? { start: from, end: to } : null;
}

/** A mark after the place would belong to its last letter. */
const MARK = /\p{M}/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;

/** True where a place neither begins nor ends within a word. */
function isWhole(text: string, { start, end }: Place): boolean {
  const isInside = (index: number) => WORD.test(characterBefore(text, index)) && WORD.test(characterAt(text, index));
  return !isInside(start) && !isInside(end);
}

function characterAt(text: string, index: number): string {
  return index < text.length ? String.fromCodePoint(text.codePointAt(index) ?? 0) : "";
}

function characterBefore(text: string, index: number): string {
  const isPair = /[\uDC00-\uDFFF]/.test(text[index - 1] ?? "");
  return text.slice(Math.max(0, index - (isPair ? 2 : 1)), index);
}
