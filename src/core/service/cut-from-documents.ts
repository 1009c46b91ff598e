import { Cut, type Passage, placesOf, type Place } from "../../lib/cut-out.js";
import { transcriptOf } from "../documents/conversations.js";
import { maySee } from "../auth.js";
import { titleFromText } from "../documents/document-title.js";
import { firstJob, noteDocument } from "../documents/revise-document.js";
import { isSameFact } from "../memories/near-duplicates.js";
import type { DocumentChange, Requote, Statement, StoreNouns } from "../ports.js";
import type { Actor, Document, Memory, Turn } from "../types.js";
import { placesOfEntries } from "./listed-entries.js";

/** What became of the documents that state a memory. */
export interface CutFromDocuments {
  /** Documents that say nothing else, to be removed. */
  readonly emptied: readonly string[];
  /** Documents that something was cut out of. */
  readonly cut: readonly string[];
  /** How many places were cut out of them. */
  readonly passages: number;
  /** Keys of uploads that are not named any more: what they say cannot be cut out of them. */
  readonly files: readonly string[];
  /**
   * Documents that may still say it: where, nobody knows, or they lie in other containers too than the actor's. Only those
   * that the actor may see.
   */
  readonly statedIn: readonly string[];
}

/** A document, and who it is a source of. */
interface Source {
  readonly document: Document;
  /** What is to go. */
  readonly wanted: readonly Stated[];
  /** All other memories that it states. */
  readonly others: readonly Stated[];
}

interface Stated extends Pick<Statement, "quote"> {
  readonly memory: Pick<Memory, "id" | "text">;
  readonly at: Place | null;
}

/**
 * Cuts what memories say out of the documents that state them: the passage that was noted for each, wherever the text
 * has it, as whole words. All else in these documents stays as it is, and is made findable anew. Inside a transaction.
 * @param memories all versions
 */
export async function cutFromDocuments(
  nouns: StoreNouns,
  actor: Actor,
  memories: readonly Memory[],
): Promise<CutFromDocuments> {
  const result = { emptied: [] as string[], cut: [] as string[], passages: 0, files: [] as string[] };
  const statedIn: string[] = [];
  for (const source of await sourcesOf(nouns, actor, memories)) {
    const { document } = source;
    const found = mayCut(actor, document) ? await findPlaces(nouns, source) : [];
    const cut = new Cut(document.content, found);
    if (cut.places.length === 0) {
      if (maySee(actor, document.containerTags)) statedIn.push(document.id);
      continue;
    }
    const rest = restOf(document, cut);
    await nouns.purges.requote(actor.organizationId, document.id, requotes(source, cut, rest));
    if (rest.content.trim() === "") result.emptied.push(document.id);
    else {
      result.cut.push(document.id);
      result.passages += cut.places.length;
      result.files.push(...(await write(nouns, actor, source, { cut, rest })));
    }
  }
  return { ...result, statedIn };
}

function mayCut({ containers }: Actor, { containerTags }: Document): boolean {
  return containers === "all" || containerTags.every((tag) => containers.includes(tag));
}

async function sourcesOf(
  { documents, memories }: StoreNouns,
  { organizationId }: Actor,
  chain: readonly Memory[],
): Promise<Source[]> {
  const ids = new Set(chain.map(({ id }) => id));
  const named = await memories.statements(organizationId, [...ids]);
  const sources: Source[] = [];
  for (const documentId of new Set(named.map((statement) => statement.documentId))) {
    const document = await documents.byId(organizationId, documentId);
    if (!document) continue;
    const stated = await memories.ofDocuments(organizationId, [documentId]);
    const texts = new Map(stated.map(({ memory }) => [memory.id, memory]));
    const statements = (await memories.statements(organizationId, [...texts.keys()]))
      .filter((statement) => statement.documentId === documentId)
      .flatMap(({ memoryId, quote, quoteAt }) => {
        const memory = texts.get(memoryId);
        return memory ? [{ memory, quote, at: quoteAt }] : [];
      });
    sources.push({
      document,
      wanted: statements.filter(({ memory }) => ids.has(memory.id)),
      others: statements.filter(({ memory }) => !ids.has(memory.id)),
    });
  }
  return sources;
}

async function findPlaces(nouns: StoreNouns, { document, wanted, others }: Source): Promise<Place[]> {
  const { content } = document;
  if (await isWrittenForMemories(nouns, document))
    return placesOfEntries(content, wanted.map(entryOf), others.map(entryOf));
  return placesOf(content, wanted.map(passageOf));
}

/** True for the light document of memories that were written directly: nothing else is in it, and nobody finds it. */
async function isWrittenForMemories({ chunks }: StoreNouns, document: Document): Promise<boolean> {
  const { organizationId, id, status, turns, revision } = document;
  return (
    status === "done" && turns === null && revision === 1 && (await chunks.newest(organizationId, id)).length === 0
  );
}

const entryOf = ({ memory, at }: Stated) => ({ text: memory.text, at });
const passageOf = ({ memory, quote, at }: Stated) => ({ quote: quote ?? memory.text, at });

/** What is left of a text, and of the turns that it is the transcript of. */
type Rest = Pick<Document, "content" | "turns">;

function restOf(document: Document, cut: Cut): Rest {
  if (!document.turns) return { content: cut.rest(), turns: null };
  const turns = turnsWithout(document, cut);
  return { content: transcriptOf(turns), turns };
}

/** @returns keys of uploads that are not named any more */
async function write(
  nouns: StoreNouns,
  actor: Actor,
  { document, wanted }: Source,
  { cut, rest }: { readonly cut: Cut; readonly rest: Rest },
): Promise<string[]> {
  const { organizationId, id, content, facts, revision } = document;
  const keepsFact = (text: string) => !wanted.some(({ memory }) => isSameFact(memory.text, text));
  const change = { ...rest, ...(facts && { facts: facts.filter((fact) => keepsFact(fact.text)) }) };
  if (await isWrittenForMemories(nouns, document)) {
    await nouns.documents.update(organizationId, id, change);
    return [];
  }
  const passages = distinct([
    ...wanted.map(passageOf),
    ...cut.places.map(({ start, end }) => ({ quote: content.slice(start, end), at: null })),
  ]);
  const without = (text: string) => new Cut(text, placesOf(text, passages)).rest();
  const title = await titleWithout(nouns, document, without);
  const files = await nouns.purges.takeText(organizationId, id, { text: without, keepsFact });
  const isRead = document.rememberedRevision >= revision;
  const next = {
    ...change,
    title,
    summary: null,
    revision: revision + 1,
    ...(isRead && { rememberedRevision: revision + 1 }),
    status: "queued",
    dreamingStatus: document.taskType === "memory" ? "dreaming" : "done",
    errorReason: null,
    ...(files.length > 0 && { url: null }),
  } satisfies DocumentChange;
  await nouns.documents.update(organizationId, id, next);
  const revised: Document = { ...document, ...next };
  await nouns.jobs.dropDead(id);
  await nouns.jobs.enqueue([firstJob(revised)]);
  await noteDocument(nouns, actor, revised, { action: "document.cut", before: { revision } });
  return files;
}

/** In texts that are not the one that their places were noted for. */
function distinct(passages: readonly Passage[]): Passage[] {
  return [...new Set(passages.map(({ quote }) => quote))].map((quote) => ({ quote, at: null }));
}

/** The links of other memories: whose words were cut has no words any more, all others stand further ahead. */
function requotes({ document, others }: Source, cut: Cut, rest: Rest): Requote[] {
  const { content, turns } = document;
  return others.flatMap(({ memory: { id }, quote, at }): Requote[] => {
    const noted = at ?? (quote === null ? null : (placesOf(content, [{ quote, at: null }])[0] ?? null));
    if (!noted) return [];
    const moved = cut.placeAfter(noted);
    if (!moved) return [{ memoryId: id, at: null, keepsQuote: false }];
    return [
      {
        memoryId: id,
        at: turns ? placeIn(rest.content, content.slice(noted.start, noted.end)) : moved,
        keepsQuote: true,
      },
    ];
  });
}

function placeIn(text: string, words: string): Place | null {
  const start = text.indexOf(words);
  return start === -1 ? null : { start, end: start + words.length };
}

/** A title that was made of the text is made anew. One that somebody chose stays, unless it says what was cut. */
async function titleWithout(
  { documents }: StoreNouns,
  document: Document,
  without: (text: string) => string,
): Promise<string | null> {
  const { organizationId, id, title } = document;
  if (title === null || title === titleFromText(document) || without(title) !== title) return null;
  const described = await documents.description(organizationId, id);
  return described?.title === title ? null : title;
}

/** The turns without what was cut out of their transcript; one that says nothing any more is none. */
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
