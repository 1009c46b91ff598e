import * as z from "zod";
import { backgroundShare } from "../../language/english/common-words.js";
import { contentRoot } from "../../language/english/relations.js";
import { tokenise } from "../../language/words.js";

/** Characters of a query that are searched for. */
const MOST_USED = 10_000;
/** In a longer text, only the beginning and the end are examined for what it is about. */
const MOST_READ = 200_000;
const LONGEST = 16 * 1024 * 1024;
/** Characters of a piece that is kept or dropped as a whole. */
const LONGEST_PIECE = 300;
const SENTENCE = /[^.!?。！？\n]+[.!?。！？\n]*/gu;
/** Characters that occur in no word and that some programs cannot handle. Their replacement also separates words. */
// eslint-disable-next-line no-control-regex
const UNREADABLE = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/gu;
const REPLACEMENT = "\ufffd";

/**
 * Text to search with: any non-blank text. Characters that cannot be searched for are replaced, and a long text is reduced to
 * its most informative part.
 */
export const querySchema = z
  .string("must be a string")
  .superRefine((text, context) => {
    if (text.trim() === "") context.addIssue({ code: "custom", message: "must not be empty" });
    if (text.length > LONGEST)
      context.addIssue({ code: "custom", message: `must have at most ${LONGEST} characters, has ${text.length}` });
  })
  .transform(usedPart);

function usedPart(text: string): string {
  const half = MOST_READ / 2;
  const read = text.length > MOST_READ ? `${text.slice(0, half)} ${text.slice(-half)}` : text;
  const readable = read.replace(UNREADABLE, REPLACEMENT);
  return readable.length > MOST_USED ? tellingPart(readable) : readable;
}

/**
 * The most informative sentences for their length, in order: those with rare words that no earlier sentence has. The first and
 * the last are always included, since people put their question there.
 */
function tellingPart(text: string): string {
  const seen = new Set<string>();
  const pieces = piecesOf(text);
  const rated = pieces.map((piece, place) => {
    const isEdge = place === 0 || place === pieces.length - 1;
    return { piece, place, worth: isEdge ? Infinity : newsOf(piece, seen) / (piece.length + LONGEST_PIECE / 10) };
  });
  let left = MOST_USED;
  const kept = rated
    .filter(({ worth }) => worth > 0)
    .sort((one, other) => (one.worth === other.worth ? one.place - other.place : other.worth - one.worth))
    .filter(({ piece }) => (left -= piece.length + 1) >= 0);
  return kept
    .sort((one, other) => one.place - other.place)
    .map(({ piece }) => piece)
    .join(" ");
}

/** Sentences, with long ones split. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (const [sentence] of text.matchAll(SENTENCE)) {
    let rest = sentence.trim();
    while (rest.length > LONGEST_PIECE) {
      const space = rest.lastIndexOf(" ", LONGEST_PIECE);
      const end = space > 0 ? space : LONGEST_PIECE;
      pieces.push(rest.slice(0, end).toWellFormed());
      rest = rest.slice(end).trimStart();
    }
    if (rest !== "") pieces.push(rest.toWellFormed());
  }
  return pieces;
}

/** How much a sentence says with words not in `seen`, which it adds to `seen`. */
function newsOf(sentence: string, seen: Set<string>): number {
  let news = 0;
  for (const word of tokenise(sentence)) {
    const root = contentRoot(word);
    if (root === "" || seen.has(root)) continue;
    seen.add(root);
    news -= Math.log(backgroundShare(root));
  }
  return news;
}
