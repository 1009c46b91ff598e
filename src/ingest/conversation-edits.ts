import { alignEntries } from "../core/documents/align-turns.js";
import type { Document, Turn } from "../core/types.js";
import { groupBy } from "../lib/group-by.js";
import { editsBetween, type Edit } from "./edits.js";

/** The separator between two turns of a transcript. */
export const TURN_BREAK = "\n\n";

/** A turn as a transcript has it. */
export function transcriptLine({ speaker, text }: Turn): string {
  return `${speaker}: ${text}`;
}

/** A turn that is gone, and the one that replaced it. */
export type Replaced = readonly [was: Turn, is: Turn];

/** The sentences that were changed in a conversation. */
export function editsOfTurns(replaced: readonly Replaced[]): readonly Edit[] {
  return replaced.flatMap(([was, is]) => editsBetween(was.text, is.text));
}

/**
 * Finds the turns that were edited in a conversation: between unchanged turns, each new turn replaces a removed one, in
 * order and by the same speaker. Turns appended at the end replace nothing.
 * @param previous the stored transcript of the previous version
 * @param speakers the speakers, as the transcript writes them
 */
export function turnsReplaced(previous: string, next: string, speakers: ReadonlySet<string>): readonly Replaced[] {
  const before = turnsWritten(previous, speakers);
  const turns = turnsWritten(next, speakers);
  const matches = alignEntries(before.map(transcriptLine), turns.map(transcriptLine));
  const replaced: Replaced[] = [];
  let [left, right] = [0, 0];
  for (const [one, other] of [...matches, [before.length, turns.length] as const]) {
    replaced.push(...replacedIn(before.slice(left, one), turns.slice(right, other)));
    [left, right] = [one + 1, other + 1];
  }
  return replaced;
}

/** The speakers of a conversation that was sent as one; empty for any other text. */
export function speakersIn(turns: Document["turns"]): ReadonlySet<string> {
  return new Set(turns?.map(({ speaker }) => speaker));
}

/** A turn with a line that looks like the start of another turn is read as two. */
function turnsWritten(transcript: string, speakers: ReadonlySet<string>): readonly Turn[] {
  const turns: { readonly speaker: string; readonly parts: string[] }[] = [];
  for (const part of transcript.split(TURN_BREAK)) {
    const colon = part.indexOf(": ");
    const speaker = part.slice(0, Math.max(0, colon));
    if (speakers.has(speaker)) turns.push({ speaker, parts: [part.slice(colon + 2)] });
    else turns.at(-1)?.parts.push(part);
  }
  return turns.map(({ speaker, parts }) => ({ speaker, text: parts.join(TURN_BREAK) }));
}

function replacedIn(gone: readonly Turn[], came: readonly Turn[]): readonly Replaced[] {
  const left = groupBy(gone.toReversed(), ({ speaker }) => speaker);
  return came.flatMap((turn) => {
    const was = left.get(turn.speaker)?.pop();
    return was ? [[was, turn] as const] : [];
  });
}
