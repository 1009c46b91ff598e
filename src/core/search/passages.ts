import { sentenceSpans, type Span } from "../../language/sentences.js";
import { iso } from "../../lib/time.js";
import { isWithdrawn } from "../memories/forget.js";
import { isSetAside, timeWasOver } from "../memories/set-aside.js";
import { temporalContextSchema } from "../memories/temporal-context.js";
import type { CoreContext } from "../context.js";
import type { ChunkDetail, DividedPassage, PassageStatement, Repositories, UnitDetail, UnitScope } from "../ports.js";
import { unitOf, type Chunk } from "../types.js";
import { createPlacesFinder } from "./quoted-places.js";
import type { SearchScope } from "./search-scope.js";

/** Marks where something was left out. */
export const GAP = "[…]";
const ROW_OF_GAPS = /\[…\](?:[^\S\n]\[…\])+/gu;
/** What remains of a line without its statement: the speaker, or the list marker. */
const BARE_LINE = /^(?:[-*+>#]+|\d{1,3}[.)]|[^:]{1,40}:)?$/u;
const HAS_WORDS = /[\p{L}\p{N}]/u;

/**
 * Removes from passages what no longer holds: statements whose memories were forgotten, replaced or are over. A passage that
 * says nothing else is left out. When forgotten content is wanted too, passages stay whole.
 */
export function dividePassages(details: readonly UnitDetail[], scope: UnitScope, now: Date): readonly UnitDetail[] {
  if (!details.some(({ chunk }) => chunk?.statements)) return details;
  const asking = askingIn(scope, now);
  return details.flatMap((detail) => {
    const passage = detail.chunk?.statements && divide(detail.text, detail.chunk, asking);
    if (!passage) return detail;
    if (scope.includeForgotten) return { ...detail, passage };
    return passage.current === "" ? [] : { ...detail, text: passage.current, passage };
  });
}

/** Chunks shown regardless of any question, without what no longer holds, and without chunks that say nothing else. */
export async function hideOutdatedChunks(
  { store, clock }: Pick<CoreContext, "clock"> & { readonly store: Pick<Repositories, "units"> },
  { organizationId, scope }: Pick<SearchScope, "organizationId" | "scope">,
  chunks: readonly Chunk[],
): Promise<Chunk[]> {
  const units = chunks.map(({ seq }) => unitOf("chunk", seq));
  const details = units.length > 0 ? await store.units.details(organizationId, scope, units) : [];
  const texts = new Map(dividePassages(details, scope, clock.now()).map(({ unit, text }) => [unit, text]));
  return chunks.flatMap((chunk) => {
    const content = texts.get(unitOf("chunk", chunk.seq));
    return content === undefined ? [] : { ...chunk, content };
  });
}

export interface Asking {
  /** Containers whose memories are considered. */
  readonly held: ReadonlySet<number>;
  /** ISO date-time. */
  readonly moment: string;
}

/** What is considered in a scope at a moment. */
export function askingIn({ containerIds }: Pick<UnitScope, "containerIds">, now: Date): Asking {
  return { held: new Set(containerIds), moment: iso(now) };
}

/** A statement with every place where a passage contains its words. Statements with the same words share one list. */
interface Stated {
  readonly statement: PassageStatement;
  readonly places: readonly Place[];
}

interface Place extends Span {
  /** What is removed with the words: the sentence containing them, without its speaker. */
  readonly sentence: Span;
}

/** No position means a whole text; a piece of a text may have been cut within a statement. */
type Stating = Pick<ChunkDetail, "statements"> & Partial<Pick<ChunkDetail, "position">>;

/**
 * A text of a document without the sentences that state what no longer holds.
 * @returns null if the whole text holds
 */
export function divide(text: string, chunk: Stating, { held, moment }: Asking): DividedPassage | null {
  const { all, ends } = statedIn(text, chunk);
  const stated = all.filter(({ statement }) => held.has(statement.containerId));
  const that = (wanted: Standing) => stated.filter(({ statement }) => standingOf(statement, moment) === wanted);
  const ended = { forgotten: that("forgotten"), replaced: that("replaced"), over: that("over") };
  if (Object.values(ended).every((list) => list.length === 0)) return null;
  const stillSaid = new Set<string>();
  for (const one of chunk.statements ?? [])
    if (held.has(one.containerId) && standingOf(one, moment) === "holds") stillSaid.add(one.text);
  const isUnsaid = ({ statement }: Stated) => !stillSaid.has(statement.text);
  const gone = [...ended.forgotten, ...ended.replaced].filter(isUnsaid);
  const over = ended.over.filter(isUnsaid);
  if (gone.length === 0 && over.length === 0) return null;
  const holds = that("holds");
  return {
    current: cut({ text, ends }, gone, [...holds, ...over]),
    past: textsOf(gone, roomIn(text)),
    over: textsOf(over, roomIn(text)),
    lasting: cut({ text, ends }, [...gone, ...over], holds),
    isForgotten: [...ended.forgotten, ...ended.over].some(isUnsaid),
  };
}

/** Characters of other texts allowed beside any passage, however short it is. */
const LEAST_ROOM = 1_000;

/** How many characters of other texts go with a passage: many may quote the same few words. */
function roomIn(text: string): number {
  return Math.max(text.length, LEAST_ROOM);
}

/** Texts without duplicates, as far as they fit. */
function withinRoom(stated: readonly Stated[], room: number): Stated[] {
  const texts = new Set<string>();
  let left = room;
  return stated.filter(({ statement: { text } }) => {
    if (texts.has(text) || text.length > left) return false;
    texts.add(text);
    left -= text.length;
    return true;
  });
}

function textsOf(stated: readonly Stated[], room: number): string {
  return withinRoom(stated, room)
    .map(({ statement }) => statement.text)
    .join("\n");
}

/** True when a statement was forgotten or replaced by newer ones; not when it has merely expired. */
export function isGone(statement: PassageStatement, moment: string): boolean {
  const standing = standingOf(statement, moment);
  return standing === "forgotten" || standing === "replaced";
}

type Standing = "holds" | "forgotten" | "replaced" | "over";

/** A statement that the service itself set aside, or a guess that it withdrew, says nothing about the passage. */
function standingOf(statement: PassageStatement, moment: string): Standing {
  const { isLatest, isForgotten, forgetAfter, forgetReason } = statement;
  if (isForgotten && (isSetAside(forgetReason) || isWithdrawn(statement))) return "holds";
  if (!isLatest) return "replaced";
  const isPast = forgetAfter !== null && forgetAfter <= moment;
  if (!isForgotten && !isPast) return "holds";
  return isPast && isOverByItself(statement, forgetAfter) ? "over" : "forgotten";
}

const DAY = 86_400_000;

/** For a month or week given in words only the end is stored: the end of its last day in the owner's time zone. */
const END_OF_DAY = /:59:59\.999Z$/;

/** True when nobody forgot it or asked to forget it, but the last day of its event has passed. */
function isOverByItself(statement: PassageStatement, end: string): boolean {
  const { isForgotten, forgetReason, isEpisode, temporalContext } = statement;
  if (isForgotten ? forgetReason !== timeWasOver(end) : forgetReason !== null) return false;
  const last = temporalContextSchema.safeParse(temporalContext).data?.eventDate?.toSorted().at(-1);
  if (last === undefined) return isEpisode && END_OF_DAY.test(end);
  return Math.abs(Date.parse(end) - Date.parse(last)) <= 2 * DAY;
}

interface AllStated {
  readonly all: readonly Stated[];
  /** By the end of a sentence: where in it the words of its statements end. */
  readonly ends: ReadonlyMap<number, number>;
}

/** Positions do not change as long as the store gives the same detail, and it does so again and again. */
const statedInChunks = new WeakMap<Stating, AllStated>();

function statedIn(text: string, chunk: Stating): AllStated {
  const known = statedInChunks.get(chunk);
  if (known) return known;
  const sentences = sentenceSpans(text);
  const { position } = chunk;
  const findPlaces = createPlacesFinder(text, position === undefined ? null : { isFirst: position === 0 });
  const ofQuotes = new Map<string, { readonly places: readonly Place[]; told: number }>();
  const all = (chunk.statements ?? []).flatMap((statement) => {
    const { quote } = statement;
    const found = ofQuotes.get(quote) ?? {
      places: findPlaces(quote).map((place) => ({ ...place, sentence: wholeSentence(text, sentences, place) })),
      told: 0,
    };
    ofQuotes.set(quote, found);
    if (found.places.length === 0) return [];
    found.told = Math.max(found.told, toldOf(statement));
    return { statement, places: found.places };
  });
  const ends = new Map<number, number>();
  // For a quote cut across two passages, it is better to attribute too much to its statement than too little.
  for (const { places, told } of ofQuotes.values())
    for (const { start, end, sentence } of places)
      ends.set(sentence.end, Math.max(ends.get(sentence.end) ?? 0, Math.min(end, start + told)));
  const stated = { all, ends };
  statedInChunks.set(chunk, stated);
  return stated;
}

const SAYS_MORE = /,? (?:and|but|while|whereas) /i;
/** A quote longer than this is more than one sentence. */
const LONGEST_SENTENCE = 500;

/** How much of its quote a statement covers, up to its last words; all of it if those do not occur. */
function toldOf({ text, quote }: Pick<PassageStatement, "text" | "quote">): number {
  if (quote.length > LONGEST_SENTENCE || !SAYS_MORE.test(quote)) return quote.length;
  const lastWords = text.trim().split(" ").slice(-2).join(" ");
  const at = quote.lastIndexOf(lastWords);
  return at === -1 ? quote.length : at + lastWords.length;
}

/** What a sentence says after the words of its statements. */
function restOf({ text, ends }: Cutting, { end }: Span): readonly string[] {
  const rest = text.slice(ends.get(end) ?? end, end);
  return SAYS_MORE.exec(rest)?.index === 0 ? [rest.replace(/^,? /, "").trimEnd()] : [];
}

/** Extends a span to its whole sentence: without its statement, the rest would mean something else or nothing. */
function wholeSentence(text: string, sentences: readonly Span[], { start, end }: Span): Span {
  let [from, to] = [start, end];
  for (let index = firstEndingAfter(sentences, start); index < sentences.length; index++) {
    const sentence = sentences[index]!;
    if (sentence.start >= end) break;
    if (!BARE_LINE.test(text.slice(sentence.start, start).trim())) from = Math.min(from, sentence.start);
    to = Math.max(to, sentence.end);
  }
  return { start: from, end: to };
}

/** Index of the first of some consecutive spans that ends after a place; their number if there is none. */
function firstEndingAfter(spans: readonly Span[], place: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.end > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

type Cutting = Pick<AllStated, "ends"> & { readonly text: string };

/**
 * A text without some statements; where other statements in the same words still hold, they appear there in their own text,
 * once, as far as they fit.
 */
function cut(cutting: Cutting, gone: readonly Stated[], holds: readonly Stated[]): string {
  const { text } = cutting;
  const gaps = merged([...new Set(gone.map(({ places }) => places))].flat().map(({ sentence }) => sentence));
  const kept = keptIn(gaps, holds, roomIn(text));
  let current = "";
  let from = 0;
  for (const gap of gaps) {
    current += text.slice(from, gap.start) + [GAP, ...(kept.get(gap) ?? []), ...restOf(cutting, gap)].join(" ");
    from = gap.end;
  }
  const lines = (current + text.slice(from)).replaceAll(ROW_OF_GAPS, GAP).split("\n");
  const left = lines.filter((line) => !line.includes(GAP) || !BARE_LINE.test(line.replaceAll(GAP, "").trim()));
  const rest = left.join("\n").trim();
  return HAS_WORDS.test(rest) ? rest : "";
}

/** What still holds in gaps: each text goes into the first gap that contains its words. */
function keptIn(gaps: readonly Span[], holds: readonly Stated[], room: number): ReadonlyMap<Span, readonly string[]> {
  const firstGaps = new Map<readonly Place[], Span | undefined>();
  const gapOf = ({ places }: Stated): Span | undefined => {
    if (!firstGaps.has(places)) firstGaps.set(places, firstGap(gaps, places));
    return firstGaps.get(places);
  };
  // The words do not actually say what was only inferred from them or never reviewed.
  const others = holds.filter((one) => !one.statement.isInference && gapOf(one));
  const kept = new Map<Span, string[]>();
  for (const one of withinRoom(others, room)) {
    const gap = gapOf(one)!;
    kept.set(gap, [...(kept.get(gap) ?? []), one.statement.text]);
  }
  return kept;
}

function firstGap(gaps: readonly Span[], places: readonly Place[]): Span | undefined {
  for (const { start, end } of places) {
    const gap = gaps[firstEndingAfter(gaps, start)];
    if (gap && gap.start < end) return gap;
  }
  return undefined;
}

/** The places in order, with overlapping ones merged. */
function merged(places: readonly Span[]): Span[] {
  const ordered = places.toSorted((one, other) => one.start - other.start);
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of ordered) {
    const last = result.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
