/** What became of the facts of a submission that are no memories. */
interface NotTakenIn {
  /** Texts of those that were forgotten or replaced before. */
  readonly past: readonly string[];
  /** How many the settings left no room for. */
  readonly noRoom: number;
  /** How many should follow from others, and were known or have lost their ground. */
  readonly groundless: number;
}

/** Says of each fact that was submitted and is not kept why that is so; nothing where all are. */
export function tellNotTakenIn({ past, noRoom, groundless }: NotTakenIn): string[] {
  return [
    ...past.map(
      (text) =>
        `facts: ${JSON.stringify(text)} was forgotten or replaced before and is not kept. Add it with add-memory if it holds again.`,
    ),
    ...(noRoom > 0
      ? [
          `facts: ${noRoom} found no room, because the settings allow no more memories (maxMemoriesPerDocument, maxMemoriesPerContainer)`,
        ]
      : []),
    ...(groundless > 0
      ? [`facts: ${groundless} that should follow from others was known, or what it follows from is gone`]
      : []),
  ];
}
