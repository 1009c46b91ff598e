import type { ChunkMetadata, Turn } from "../core/types.js";
import { sentenceSpans } from "../language/sentences.js";
import { safeCut, truncate } from "../lib/truncate.js";
import type { ChunkPiece } from "./chunk-piece.js";
import type { Conversation } from "./conversation.js";

/** A turn is one unit unless it is too long to be useful as a result. */
const LONGEST_TURN = 8000;
/** Maximum length of the pieces of a longer turn. */
const LONGEST_PIECE = 800;
const LONGEST_NEIGHBOUR = 300;

/**
 * One chunk per turn, with the neighbouring turns as context. A turn of more than 8,000 characters becomes several
 * chunks, cut between sentences; the metadata of each says which part it is.
 * @param fallbackDate for turns of a conversation without a date
 */
export function chunkConversation(conversation: Conversation, fallbackDate: string | null): ChunkPiece[] {
  const { turns, caption } = conversation;
  return turns.flatMap((turn, index) => {
    const neighbours = [turns[index - 1], turns[index + 1]].flatMap((neighbour) =>
      neighbour ? [truncate(written(neighbour), LONGEST_NEIGHBOUR)] : [],
    );
    const context = neighbours.join("\n");
    const date = turn.date ?? conversation.date ?? fallbackDate;
    const metadata: ChunkMetadata = { speakers: [turn.speaker], ...(date === null ? {} : { date }) };
    const parts = turn.text.length > LONGEST_TURN ? cutTurn(turn.text) : [turn.text];
    return parts.map((text, part) => ({
      content: written({ speaker: turn.speaker, text }),
      context: caption !== "" && index === 0 ? `${context}\n${caption}` : context,
      metadata: parts.length === 1 ? metadata : { ...metadata, part: { number: part + 1, of: parts.length } },
    }));
  });
}

function written(turn: Turn): string {
  return `${turn.speaker}: ${turn.text}`;
}

/** Groups whole sentences into short pieces; a sentence that is too long on its own is cut wherever necessary. */
function cutTurn(text: string): string[] {
  const parts: string[] = [];
  let start: number | null = null;
  let end = 0;
  const close = (): void => {
    if (start !== null) parts.push(text.slice(start, end));
    start = null;
  };
  for (const span of sentenceSpans(text)) {
    if (start !== null && span.end - start > LONGEST_PIECE) close();
    start ??= span.start;
    end = span.end;
    while (end - start > LONGEST_PIECE) {
      const cut: number = safeCut(text, start + LONGEST_PIECE);
      parts.push(text.slice(start, cut));
      start = cut;
    }
  }
  close();
  return parts;
}
