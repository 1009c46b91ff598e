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
      "Those whose processing failed, which starts again from the beginning, and those whose file could not be read yet, which is tried now.",
    ),
  failedLeftOut: z
    .int()
    .nonnegative()
    .describe(
      "Documents whose processing failed and that were left out because no `ids` were given: give their ids to try them again.",
    ),
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
      "Exactly one of `ids`, `containerTag` and `all: true`. Reads the texts again with the current language model and prompt, or with rules if there is no model; unless `ids` are given or `onlyOutdated` is false, only texts that something else has read. Documents that are split differently from what the settings ask for (`chunkSize`, `chunkOverlap`, `chunkingStrategy`) are split again in any case, even if they are not read again. The files of documents given in `ids` are read once more, unless `onlyOutdated` or `replace` is true; if that fails, the document stays unchanged, and the notes in its `processingMetadata` say why. The work runs in the background, after new documents, and survives a restart. Facts that a document already states are not counted again; what was forgotten or replaced stays so. With `replace`, facts that only the document states, that nobody has changed or reviewed, and that the new reading does not find are forgotten, as a batch of the journal that can be undone. The facts of documents that were added with ready-made facts, or with `taskType` superrag, are left alone. `dryRun` changes nothing and reports what it would take: `estimate` is rough, and its `cost`, in US dollars, is null if the price of the model is not known.",
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
