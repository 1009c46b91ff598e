import { visibleText } from "../../language/hidden-text.js";
import { createTimeSlice } from "../../lib/time.js";
import { plainForm } from "./plain-form.js";

interface SpokenTurn {
  readonly speaker: string;
  readonly text: string;
}

/** Tells who said a quote: the speaker of the turn that contains it, or the user if several do. Undefined if nobody said it. */
export type SpeakerFinder = (quote: string | undefined) => string | undefined;

/**
 * Reads the turns of a conversation once, for any number of quotes. Yields to other work, and looks for a quote of three words
 * or more only in turns that contain its rarest word.
 * @throws the signal's reason
 */
export async function prepareSpeakerFinder(turns: readonly SpokenTurn[], signal?: AbortSignal): Promise<SpeakerFinder> {
  const slice = createTimeSlice(signal);
  const said: SpokenTurn[] = [];
  const turnsWith = new Map<string, number[]>();
  for (const [index, { speaker, text }] of turns.entries()) {
    const compacted = compact(text);
    said.push({ speaker, text: compacted });
    for (const word of new Set(compacted.split(" "))) {
      const known = turnsWith.get(word);
      if (known) known.push(index);
      else turnsWith.set(word, [index]);
    }
    if (slice.isSpent()) await slice.renew();
  }
  const everywhere = [...said.keys()];
  /** Words inside a quote are whole ones, whatever the turn has around them. */
  const mayHold = (words: string): readonly number[] =>
    words
      .split(" ")
      .slice(1, -1)
      .map((word) => turnsWith.get(word) ?? [])
      .reduce<readonly number[]>((one, other) => (other.length < one.length ? other : one), everywhere);
  return (quote) => {
    if (quote === undefined) return undefined;
    const words = compact(quote);
    const speakers = mayHold(words).flatMap((index) => (said[index]?.text.includes(words) ? said[index].speaker : []));
    return speakers.find((speaker) => speaker.toLowerCase() === "user") ?? speakers[0];
  };
}

function compact(text: string): string {
  return visibleText(plainForm(text)).toLowerCase().replace(/\s+/gu, " ");
}
