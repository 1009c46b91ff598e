import { AppError } from "../errors.js";
import type { Embedder, EmbedderMaker, Embedders, MadeEmbedder } from "../ports.js";
import { choiceKey } from "./choice.js";

/** Seconds after which a caller that needs an unavailable embedder may ask again. */
const ASK_AGAIN_SECONDS = 30;

/** The embedders of a maker, each created once; `first` is active until another is activated. */
export function createEmbedders(maker: EmbedderMaker, first: Embedder): Embedders {
  const prepared = new Map<string, Promise<MadeEmbedder>>();
  let active = first;

  async function putAway(key: string): Promise<void> {
    const made = await prepared.get(key)?.catch(() => undefined);
    prepared.delete(key);
    await made?.close?.();
  }

  return {
    active: () => active,
    activate: (embedder) => {
      active = embedder;
    },
    prepare(choice, waiting) {
      const key = choiceKey(choice);
      const known = prepared.get(key);
      if (known) return known;
      const made = maker.make(choice, waiting);
      prepared.set(key, made);
      made.catch(() => {
        if (prepared.get(key) === made) prepared.delete(key);
      });
      return made;
    },
    release: (choice) => putAway(choiceKey(choice)),
    async close() {
      for (const key of prepared.keys()) await putAway(key);
    },
  };
}

const absent = new WeakSet<Embedder>();

/** Placeholder for an embedder that is currently unavailable: callers are told why, and may ask again. */
export function absentEmbedder(
  known: Pick<Embedder, "name" | "fingerprint">,
  why: { readonly reason: string; readonly paths: readonly string[] },
): Embedder {
  const embedder: Embedder = {
    ...known,
    maxBatch: 1,
    calibration: [
      [0, 0],
      [1, 1],
    ],
    isCalibrated: true,
    problem: () => why.reason,
    embed: () =>
      Promise.reject(
        new AppError("unavailable", `The embedder ${known.name} is not available at the moment: ${why.reason}`, {
          paths: why.paths,
          retryAfter: ASK_AGAIN_SECONDS,
        }),
      ),
  };
  absent.add(embedder);
  return embedder;
}

/** True for such a placeholder. */
export function isAbsent(embedder: Embedder): boolean {
  return absent.has(embedder);
}
