import type { ContentPart } from "../core/documents/content-ports.js";
import type { SpokenPiece } from "../core/documents/transcriber-ports.js";

/** The transcript of one stretch of a recording. */
export interface TranscribedStretch {
  /** Its start in the whole recording, in seconds. */
  readonly start: number;
  /** In seconds from the start of the stretch. */
  readonly pieces: readonly SpokenPiece[];
}

/** Paragraphs are about as long as a search result. */
const PARAGRAPH_SECONDS = 45;
const PARAGRAPH_CHARACTERS = 600;
/** A pause after which a new paragraph starts. */
const PAUSE_SECONDS = 3;

/**
 * The text of a recording that was transcribed in overlapping stretches, in paragraphs with their times. The earlier of
 * two stretches counts up to the middle of the overlap, so that nothing appears twice.
 */
export function joinRecording(stretches: readonly TranscribedStretch[]): ContentPart[] {
  const spoken: SpokenPiece[] = [];
  for (const { start, pieces } of stretches) {
    const placed = pieces.map((piece) => ({ ...piece, start: piece.start + start, end: piece.end + start }));
    const overlapEnd = spoken.at(-1)?.end ?? start;
    const cut = overlapEnd > start ? (start + overlapEnd) / 2 : start;
    while (spoken.length > 0 && middleOf(spoken.at(-1)) > cut) spoken.pop();
    const before = spoken.at(-1);
    const next = placed.filter((piece) => middleOf(piece) > cut || overlapEnd <= start);
    // A sentence that is complete in both stretches.
    const isRepeated = before !== undefined && next[0] !== undefined && plain(before.text) === plain(next[0].text);
    spoken.push(...(isRepeated ? next.slice(1) : next));
  }
  return paragraphsOf(spoken);
}

function middleOf(piece: SpokenPiece | undefined): number {
  return piece ? (piece.start + piece.end) / 2 : 0;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function paragraphsOf(spoken: readonly SpokenPiece[]): ContentPart[] {
  const parts: ContentPart[] = [];
  let open: SpokenPiece | null = null;
  const close = (): void => {
    if (open) parts.push({ text: open.text, place: { time: [open.start, open.end] } });
    open = null;
  };
  for (const piece of spoken) {
    const current: SpokenPiece | null = open;
    if (current && endsBefore(current, piece)) close();
    open = open ? joined(open, piece) : piece;
  }
  close();
  return parts;
}

function endsBefore(paragraph: SpokenPiece, next: SpokenPiece): boolean {
  return (
    next.start - paragraph.end > PAUSE_SECONDS ||
    paragraph.text.length + next.text.length > PARAGRAPH_CHARACTERS ||
    (next.end - paragraph.start > PARAGRAPH_SECONDS && /[.!?…。！？]["'”’)]*$/.test(paragraph.text))
  );
}

function joined(one: SpokenPiece, other: SpokenPiece): SpokenPiece {
  return { start: one.start, end: other.end, text: `${one.text} ${other.text}` };
}
