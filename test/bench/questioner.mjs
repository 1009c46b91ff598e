import { questions } from "./corpus.mjs";

/** How many of the known answers a search must find; the others may rightly lose against notes that say nearly the same. */
const LEAST_SHARE_FOUND = 0.97;

/** Asks about known notes, each question once, and holds the answers against what is known. */
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

  /** Counts whether the answer holds the note that was asked about. */
  see(isFound, asked) {
    this.#checked += 1;
    if (isFound) this.#found += 1;
    else this.#missed ??= asked;
  }

  /** Reports the share that was found since the last time, and starts anew. */
  report(results, figure) {
    const share = this.#found / this.#checked;
    results.add({ ...figure, name: `${figure.name}: known note among the first ten`, unit: "%", value: share * 100 });
    const example = this.#missed ? `, e.g. not ${JSON.stringify(this.#missed.question)}` : "";
    // What others miss is their affair.
    results.check(
      share >= LEAST_SHARE_FOUND || figure.system !== undefined,
      `${figure.name}: ${this.#found} of ${this.#checked} known notes were found${example}`,
    );
    [this.#found, this.#checked, this.#missed] = [0, 0, undefined];
  }
}

/** True when a result of a search is this note, whether it came back as a memory or as a piece of a document. */
export function holds(results, { text, reference }) {
  return results.some(({ memory, chunk }) => {
    const found = memory ?? chunk;
    return (
      found === text || found.includes(`${reference} `) || found.endsWith(reference) || found.includes(`${reference}\n`)
    );
  });
}
