import * as z from "zod";

/** Extension: documents whose text still states what was forgotten. */
export const statedIn = z.array(
  z.object({
    id: z.string().length(22),
    title: z.string().nullable(),
    source: z.string().nullable().describe("The path of its file or the address of its page; null for plain text."),
    isLeftOut: z
      .boolean()
      .describe(
        "Whether searches leave out the sentences that it came from; false if it is not known which these are.",
      ),
  }),
);

/** Extension: other memories that still say what was forgotten. */
export const saidBy = z
  .array(z.object({ id: z.string().length(22), memory: z.string() }))
  .optional()
  .describe(
    "Other memories, taken from the same words, that still say what was forgotten. Without any, it is left out.",
  );

/** The field of an answer; none where no other memory says it. */
export function presentSaidBy(saying: readonly { readonly id: string; readonly text: string }[] | undefined) {
  return saying ? { saidBy: saying.map(({ id, text }) => ({ id, memory: text })) } : {};
}
