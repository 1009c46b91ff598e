import * as z from "zod";
import { purgeSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";

const answer = z.object({
  documents: z.int().nonnegative(),
  memories: z.int().nonnegative(),
  files: z.int().nonnegative(),
  passages: z.int().nonnegative(),
  statedIn: z.array(z.string().length(22)),
  complete: z.boolean(),
});

/** Beyond the contract, which has no permanent removal. */
export const purgeEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/purge",
    isExact: true,
    operationId: "purge",
    summary: "Permanently erase a document, a memory or a container",
    description:
      "Exactly one of `documentId`, `memoryId` and `containerTag`, with `confirm: true`. Text, vectors, files and the words in the journal are removed and overwritten; nothing brings them back. A document takes along what it alone states; a memory goes with all its versions, and what it says is cut out of the documents that state it, wherever it is a sentence or line of its own (uploads of these go, since nothing can be cut out of them); all else in them stays. `memories` counts every version, `passages` what was cut out of documents that stay. `statedIn` are documents that may still say it, because nobody knows where, because it stands within a longer sentence or where facts are not looked for, or because they lie in other containers too than yours: purge these too if nothing of it may stay. `complete` is false while words are still to be overwritten in files, which the server goes on with by itself.",
    refusals: { 404: "There is nothing of that name to erase." },
    tag: "settings",
    example: { documentId: "3mJr7AoUXx2Wqd9ZtYbN4c", confirm: true },
    body: purgeSchema,
    status: 200,
    answer,
    handle: ({ core, call, body }) => core.purge(call, body),
  }),
];
