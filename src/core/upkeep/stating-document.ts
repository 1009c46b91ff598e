import { Cut, type Place } from "../../language/cut-out.js";
import { findFirst, findPlaces, type QuotedPassage, saysAny } from "../../language/find-places.js";
import { transcriptOf, turnStarts } from "../documents/conversations.js";
import { isTitleFromText } from "../documents/document-title.js";
import type { Requote, Statement, Repositories } from "../ports.js";
import type { Actor, Document, Memory, Turn } from "../types.js";
import { placesOfEntries } from "./listed-entries.js";

/** A document, and the memories it is a source of. */
export interface StatingSource {
  readonly document: Document;
  /** The memories to be removed. */
  readonly wanted: readonly Stated[];
  /** All other memories it states. */
  readonly others: readonly Stated[];
  /** Whether it was only written to hold memories: it contains nothing else, and nobody finds it. */
  readonly isLight: boolean;
}

interface Stated extends Pick<Statement, "quote"> {
  readonly memory: Pick<Memory, "id" | "text">;
  readonly at: Place | null;
}

/** The rest of a text, and of the turns it is the transcript of. */
type Rest = Pick<Document, "content" | "turns">;

/** The planned changes to a document that states a memory. */
export interface CutPlan {
  readonly cut: Cut;
  readonly rest: Rest;
  /** Whether the rest still contains the words, within a sentence that says more. */
  readonly saysMore: boolean;
  readonly title: string | null;
  /** How the links of other memories change. */
  readonly links: readonly Requote[];
  /** The new version of every stored text of it. */
  readonly texts: ReadonlyMap<string, string>;
}

type Reader = Pick<Repositories, "documents" | "memories" | "chunks">;

/**
 * Reads a document with what it states; null when it is gone.
 * @param wanted ids of the memories to be removed
 */
export async function readSource(
  { documents, memories, chunks }: Reader,
  organizationId: string,
  documentId: string,
  wanted: ReadonlySet<string>,
): Promise<StatingSource | null> {
  const document = await documents.byId(organizationId, documentId);
  if (!document) return null;
  const stated = await memories.ofDocuments(organizationId, [documentId]);
  const texts = new Map(stated.map(({ memory }) => [memory.id, memory]));
  const statements = (await memories.statements(organizationId, [...texts.keys()]))
    .filter((statement) => statement.documentId === documentId)
    .flatMap(({ memoryId, quote, quoteAt }): Stated[] => {
      const memory = texts.get(memoryId);
      return memory ? [{ memory: { id: memory.id, text: memory.text }, quote, at: quoteAt }] : [];
    });
  const { status, turns, revision } = document;
  const isPlain = status === "done" && turns === null && revision === 1;
  return {
    document,
    wanted: statements.filter(({ memory }) => wanted.has(memory.id)),
    others: statements.filter(({ memory }) => !wanted.has(memory.id)),
    isLight: isPlain && (await chunks.newest(organizationId, documentId)).length === 0,
  };
}

/** True when nothing has changed between two readings that a plan depends on. */
export function isSameSource(one: StatingSource, other: StatingSource): boolean {
  const { document } = one;
  const keyOf = ({ document: { revision, title, containerTags }, wanted, others, isLight }: StatingSource) =>
    JSON.stringify([revision, title, containerTags, wanted, others, isLight]);
  return document.content === other.document.content && keyOf(one) === keyOf(other);
}

/** What these say, in the words recorded for it if there are any. */
export function passagesStating(stated: readonly Stated[]): QuotedPassage[] {
  return stated.map(({ memory, quote, at }) => ({ quote: quote ?? memory.text, at }));
}

/** Plans the changes to a document; slow, and yields to other work. @throws the signal's reason */
export async function planCut(
  repositories: Pick<Repositories, "documents" | "purges">,
  { organizationId }: Actor,
  source: StatingSource,
  signal?: AbortSignal,
): Promise<CutPlan> {
  const { document, wanted } = source;
  const { id, content } = document;
  const passages = passagesStating(wanted);
  const cut = new Cut(content, await findIn(source, passages, signal));
  const rest = restOf(document, cut);
  const quotes = passages.map(({ quote }) => quote);
  const saysMore = await saysAny(rest.content, quotes, signal);
  if (cut.places.length === 0) return { cut, rest, saysMore, title: document.title, links: [], texts: new Map() };
  // For texts other than the one for which the places were recorded.
  const said = new Set([...quotes, ...cut.places.map(({ start, end }) => content.slice(start, end))]);
  const without = async (text: string, turns: readonly number[]) => {
    const anywhere = [...said].map((quote) => ({ quote, at: null }));
    return new Cut(text, await findPlaces(text, anywhere, { turns, signal })).rest();
  };
  const texts = new Map([[content, rest.content]]);
  for (const text of await repositories.purges.keptTexts(organizationId, id))
    if (!texts.has(text)) texts.set(text, await without(text, turnsIn(document, text)));
  return {
    cut,
    rest,
    saysMore,
    title: await titleWithout(repositories, document, (title) => without(title, [])),
    links: await requotes(source, { cut, rest }, signal),
    texts,
  };
}

async function findIn(
  { document, wanted, others, isLight }: StatingSource,
  passages: readonly QuotedPassage[],
  signal: AbortSignal | undefined,
): Promise<readonly Place[]> {
  const { content } = document;
  const entryOf = ({ memory, at }: Stated) => ({ text: memory.text, at });
  if (isLight) return placesOfEntries(content, wanted.map(entryOf), others.map(entryOf));
  return findPlaces(content, passages, { turns: turnsIn(document, content), signal });
}

/** Where turns begin in a transcript of a conversation, for its current turns and for earlier ones. */
function turnsIn({ turns }: Document, transcript: string): readonly number[] {
  return turns === null ? [] : turnStarts(transcript, new Set(turns.map(({ speaker }) => speaker)));
}

function restOf(document: Document, cut: Cut): Rest {
  if (!document.turns) return { content: cut.rest(), turns: null };
  const turns = turnsWithout(document, cut);
  return { content: transcriptOf(turns), turns };
}

/** The turns without what was cut out of their transcript; an empty turn is dropped. */
function turnsWithout({ content, turns }: Document, cut: Cut): readonly Turn[] {
  let from = 0;
  return (turns ?? []).flatMap((turn) => {
    const start = content.indexOf(turn.text, from);
    if (start === -1) return [turn];
    const end = start + turn.text.length;
    from = end;
    const own = cut
      .within({ start, end })
      .map((place) => ({ start: Math.max(0, place.start - start), end: Math.min(end, place.end) - start }));
    const text = new Cut(turn.text, own).rest().trim();
    return text === "" ? [] : [{ ...turn, text }];
  });
}

/** The links of other memories: those whose words were cut lose them, all others move forward. */
async function requotes(
  { document, others }: StatingSource,
  { cut, rest }: Pick<CutPlan, "cut" | "rest">,
  signal: AbortSignal | undefined,
): Promise<Requote[]> {
  const { content, turns } = document;
  const lost = others.flatMap(({ quote, at }) => (at === null && quote !== null ? [quote] : []));
  const places = lost.length === 0 ? [] : await findFirst(content, lost, signal);
  const found = new Map(lost.map((quote, index) => [quote, places[index] ?? null]));
  return others.flatMap(({ memory: { id }, quote, at }): Requote[] => {
    const noted = at ?? (quote === null ? null : (found.get(quote) ?? null));
    if (!noted) return [];
    const moved = cut.placeAfter(noted);
    if (!moved) return [{ memoryId: id, at: null, keepsQuote: false }];
    const place = turns ? placeIn(rest.content, content.slice(noted.start, noted.end)) : moved;
    return [{ memoryId: id, at: place, keepsQuote: true }];
  });
}

function placeIn(text: string, words: string): Place | null {
  const start = text.indexOf(words);
  return start === -1 ? null : { start, end: start + words.length };
}

/** A title derived from the text is derived again. One that somebody chose stays, unless it says what was cut. */
async function titleWithout(
  { documents }: Pick<Repositories, "documents">,
  document: Document,
  without: (text: string) => Promise<string>,
): Promise<string | null> {
  const { organizationId, id, title } = document;
  if (title === null || isTitleFromText(document) || (await without(title)) !== title) return null;
  const described = await documents.description(organizationId, id);
  return described?.title === title ? null : title;
}
