import type { Embedder, Embedders } from "../ports.js";

/** One embedder for ever. */
export function onlyEmbedder(embedder: Embedder): Embedders {
  return { active: () => embedder };
}
