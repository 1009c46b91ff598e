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
