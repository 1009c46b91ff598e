import { questions } from "./corpus.mjs";

/** The share of known answers that a search must find; the others may rightly lose to notes with nearly the same content. */
const LEAST_SHARE_FOUND = 0.97;

/** Asks about known notes, each question once, and compares the answers with what is known. */
export class Questioner {
  #seed;
  #of;
  #asked = 0;
  #found = 0;
  #checked = 0;
  #missed;

  constructor(seed, of) {
    this.#seed = seed;
    this.#of = of;
  }

  /** Questions that were not asked before. */
  take(count) {
    const taken = questions(this.#seed, { count, of: this.#of, skip: this.#asked });
    this.#asked += count;
    return taken;
  }

  /** Counts whether the answer contains the note in question. */
  see(isFound, asked) {
    this.#checked += 1;
    if (isFound) this.#found += 1;
    else this.#missed ??= asked;
  }

  /** Reports the share found since the last call, and starts anew. */
  report(results, figure) {
    const share = this.#found / this.#checked;
    results.add({ ...figure, name: `${figure.name}: known note among the first ten`, unit: "%", value: share * 100 });
    const example = this.#missed ? `, e.g. not ${JSON.stringify(this.#missed.question)}` : "";
    // The misses of other systems do not fail the run.
    results.check(
      share >= LEAST_SHARE_FOUND || figure.system !== undefined,
      `${figure.name}: ${this.#found} of ${this.#checked} known notes were found${example}`,
    );
    [this.#found, this.#checked, this.#missed] = [0, 0, undefined];
  }
}

/** True when a search result is this note, whether as a memory or as a chunk of a document. */
export function holds(results, { text, reference }) {
  return results.some(({ memory, chunk }) => {
    const found = memory ?? chunk;
    return (
      found === text || found.includes(`${reference} `) || found.endsWith(reference) || found.includes(`${reference}\n`)
    );
  });
}
