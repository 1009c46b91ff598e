/** Facts of a submission that did not become memories. */
interface NotTakenIn {
  /** Texts of those that had been forgotten or replaced before. */
  readonly past: readonly string[];
  /** How many the settings left no room for. */
  readonly noRoom: number;
  /** How many were supposed to follow from others, but were known or have lost their sources. */
  readonly groundless: number;
}

/** Explains for each submitted fact that was not stored why not; empty if all were. */
export function tellNotTakenIn({ past, noRoom, groundless }: NotTakenIn): string[] {
  return [
    ...past.map(
      (text) =>
        `facts: ${JSON.stringify(text)} was forgotten or replaced before and is not kept. Add it with add-memory if it is true again.`,
    ),
    ...(noRoom > 0
      ? [
          `facts: ${noRoom} not kept, because the settings allow no more memories (maxMemoriesPerDocument, maxMemoriesPerContainer)`,
        ]
      : []),
    ...(groundless > 0
      ? [`facts: ${groundless} derived from others were not kept: already known, or their sources are gone`]
      : []),
  ];
}
