import * as z from "zod";
import { reprocessSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";

const answer = z.object({
  dryRun: z.boolean(),
  extractor: z.string(),
  documents: z.int().nonnegative(),
  retried: z
    .int()
    .nonnegative()
    .describe(
      "Those of them whose processing failed: it is tried again from the beginning. And those whose file could not be read yet: that is tried now.",
    ),
  failedLeftOut: z
    .int()
    .nonnegative()
    .describe("Documents whose processing failed, where no `ids` are named: name them to have them tried again."),
  bytes: z.int().nonnegative(),
  estimate: z.object({
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    cost: z.number().nonnegative().nullable(),
  }),
  skipped: z.array(z.object({ id: z.string(), reason: z.string() })),
});

/** Beyond the contract, in which documents are read only once. */
export const reprocessEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/reprocess",
    operationId: "reprocessDocuments",
    summary: "Read documents again with the current fact extraction",
    description:
      "Exactly one of `ids`, `containerTag` and `all: true`. Reads the texts again with the present language model and prompt, or with rules where there is no model; unless `ids` are named or `onlyOutdated` is false, only those that something else has read. Documents that are cut otherwise than the settings want (`chunkSize`, `chunkOverlap`, `chunkingStrategy`) are cut anew in any case, also those that are not read. Files that named documents were made of are read once more, unless `onlyOutdated` or `replace` is true; where that fails, the document stays as it is, and the notes of its `processingMetadata` say why. The work is done in the background behind new documents and survives a restart. What a document states already is not counted again; what was forgotten or replaced stays so. With `replace`, what only the document states, nobody has changed or reviewed, and the new reading does not find is forgotten, as a batch of the journal that can be undone. The facts of documents that came with ready-made ones, and of those of `taskType` superrag, are left alone. `dryRun` changes nothing and says what it would take: `estimate` is rough, and its `cost`, in US dollars, is null where the price of the model is not known.",
    refusals: { 404: "One of the documents does not exist." },
    tag: "documents",
    example: { all: true, onlyOutdated: true, dryRun: true },
    body: reprocessSchema,
    status: 200,
    answer,
    handle: async ({ core, call, body }) => {
      const { skipped, ...rest } = await core.reprocess(call, body);
      return { ...rest, skipped: [...skipped] };
    },
  }),
];
