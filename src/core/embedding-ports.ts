import type { Embedder } from "./ports.js";

/** The embedders of the service. Which of them answers may change at any moment. */
export interface Embedders {
  /**
   * What answers searches and embeds what is written now. Whoever needs more than one thing of it (fingerprint, vectors,
   * calibration) asks once and keeps the answer, so that they belong together.
   */
  active(): Embedder;
}
