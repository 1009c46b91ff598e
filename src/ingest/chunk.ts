import { BYTES_PER_TOKEN, type Chunking, type ChunkingStrategy } from "../core/documents/chunking.js";
import type { SourcePlace, ReadingOutcome } from "../core/documents/content-ports.js";
import type { ChunkMetadata, Turn } from "../core/types.js";
import { blankEmbeddedBytes, withoutBlanks } from "../language/embedded-bytes.js";
import { sentenceSpans, type Span } from "../language/sentences.js";
import { yieldTurn } from "../lib/time.js";
import { safeCut } from "../lib/truncate.js";
import type { TimeZone } from "../lib/time-zone.js";
import { detectKind } from "./chunk-kind.js";
import { markdownSections } from "./chunk-markdown.js";
import { cutAtPlaces, placeOver } from "./chunk-places.js";
import type { ChunkPiece } from "./chunk-piece.js";
import { splitWithTables } from "./chunk-table.js";
import { trimSpan, type PieceSize } from "./chunk-text.js";
import type { TextKind } from "./cut-levels.js";
import { chunkConversation } from "./chunk-conversation.js";
import { conversationOf, parseConversation } from "./conversation.js";

/** What chunking needs to know of a document. */
export interface ChunkSource {
  readonly content: string;
  /** The document's type: `code` and `markdown` are trusted, anything else is detected from the text. */
  readonly type?: string | null;
  readonly title?: string | null;
  /** Its extension determines the language of code. */
  readonly filepath?: string | null;
  /** ISO date or date-time of the document, for conversations without one. */
  readonly date?: string | null;
  /** For times without an offset in the text; UTC by default. */
  readonly timeZone?: TimeZone;
  /** The document as it was sent, when it was sent as a conversation. */
  readonly turns?: readonly Turn[] | null;
  /** Maps offsets in the text to places in the file it was read from. */
  readonly places?: ReadingOutcome["places"] | undefined;
  /** How text and code are cut; the default if absent. */
  readonly chunking?: Chunking | undefined;
}

/** Small units win: more of them fit into a model's context, and each says one thing. */
const PROSE_SIZE = { target: 500, most: 800 };
const CODE_SIZE = { target: 800, most: 1200 };
const USUAL: Chunking = { strategy: "auto", size: null, overlap: 0 };
/** Pieces that are cut in one turn of the event loop. */
const YIELD_EVERY = 100;
const LONGEST_SENTENCE_CONTEXT = 200;

/**
 * Cuts a document into the units that search returns, in order: one chunk per turn for conversations, and pieces of
 * about 500 characters for everything else. Takes linear time whatever the content.
 * @returns no chunks for an empty or blank text
 */
export async function chunkDocument(sent: ChunkSource): Promise<ChunkPiece[]> {
  const content = blankEmbeddedBytes(sent.content);
  if (content === sent.content) return chunkWords(sent);
  const chunks = await chunkWords({ ...sent, content });
  return chunks.map((chunk) => ({
    ...chunk,
    content: withoutBlanks(chunk.content),
    context: withoutBlanks(chunk.context),
  }));
}

async function chunkWords(source: ChunkSource): Promise<ChunkPiece[]> {
  if (source.content.trim() === "") return [];
  const name = source.filepath ?? source.title ?? null;
  const { chunking = USUAL } = source;
  const kind = source.type === "markdown" || source.type === "code" ? source.type : detectKind(source.content, name);
  const text = (content: string, detected: TextKind): Promise<ChunkPiece[]> =>
    chunkText(content, KINDS[chunking.strategy] ?? detected, {
      title: source.title ?? null,
      chunking,
      places: content === source.content ? source.places : undefined,
    });
  const mayTalk = kind === "prose" || kind === "markdown" || kind === "code";
  const conversation = source.turns
    ? conversationOf(source.turns)
    : mayTalk
      ? await parseConversation(source.content, source.timeZone)
      : null;
  if (!conversation) return text(source.content, kind);
  const around = (content: string): Promise<ChunkPiece[]> => text(content, detectKind(content, null));
  return [
    ...(await around(conversation.preamble)),
    ...chunkConversation(conversation, source.date ?? null),
    ...(await around(conversation.afterword)),
  ];
}

/** The kind each strategy cuts a text as, whatever it is. */
const KINDS: Readonly<Partial<Record<ChunkingStrategy, TextKind>>> = {
  recursive: "code",
  markdown: "markdown",
  sentence: "prose",
  token: "code",
};

async function chunkText(
  content: string,
  kind: TextKind,
  { title, chunking, places = [] }: Pick<ChunkSource, "title" | "places"> & { readonly chunking: Chunking },
): Promise<ChunkPiece[]> {
  const isText = kind === "prose" || kind === "markdown";
  const size = sizeOf(isText || chunking.strategy !== "auto" ? PROSE_SIZE : CODE_SIZE, chunking);
  const headed = kind === "markdown" ? markdownSections(content) : [{ start: 0, end: content.length, headings: [] }];
  const sections = cutAtPlaces(headed, content, places);
  const chunks: ChunkPiece[] = [];
  let previous = "";
  for (const section of sections) {
    const text = content.slice(section.start, section.end);
    for (const span of await splitWithTables(text, kind, size)) {
      if (chunks.length % YIELD_EVERY === 0) await yieldTurn();
      const rows = sliceTrimmed(text, span, isText);
      if (rows === "") continue;
      const piece = span.header === undefined ? rows : `${span.header}\n${rows}`;
      const path = section.headings.length > 0 ? section.headings.join(" > ") : (title ?? "");
      const place = placeOver(places, section.start + span.start, section.start + span.end);
      const metadata = metadataOf(section.headings, place);
      // With an overlap, the context would only repeat it.
      const said = size.overlap > 0 ? "" : lastSentence(previous);
      const context = [path, said].filter((part) => part !== "").join("\n");
      chunks.push({ content: piece, context, metadata });
      previous = piece;
    }
  }
  return chunks;
}

function metadataOf(headings: readonly string[], place: SourcePlace | null): ChunkMetadata | null {
  const isKnown = headings.length > 0 || (place !== null && Object.keys(place).length > 0);
  return isKnown ? { ...(headings.length > 0 && { headings }), ...place } : null;
}

/** The default size, or the requested one as a hard limit, which includes the overlap. */
function sizeOf(usual: Pick<PieceSize, "target" | "most">, { strategy, size, overlap }: Chunking): PieceSize {
  const ofTokens = strategy === "token";
  const scale = ofTokens && size !== null ? BYTES_PER_TOKEN : 1;
  const repeated = ofTokens ? overlap * BYTES_PER_TOKEN : overlap;
  const wanted = size === null ? usual : { target: size * scale, most: size * scale };
  return {
    target: wanted.target - repeated,
    most: wanted.most - repeated,
    unit: ofTokens ? "bytes" : "characters",
    overlap: repeated,
  };
}

/** Keeps the indentation of the first line of code or of a list. */
function sliceTrimmed(text: string, span: Span, isText: boolean): string {
  const { start, end } = isText ? trimSpan(text, span) : span;
  return text.slice(start, end).trimEnd();
}

/** The last sentence of a text, cut to its last 200 characters. */
function lastSentence(text: string): string {
  const tail = text.slice(-2 * LONGEST_SENTENCE_CONTEXT);
  const span = sentenceSpans(tail).at(-1);
  if (!span) return "";
  const sentence = tail.slice(span.start, span.end);
  if (sentence.length <= LONGEST_SENTENCE_CONTEXT) return sentence;
  return sentence.slice(safeCut(sentence, sentence.length - LONGEST_SENTENCE_CONTEXT));
}
