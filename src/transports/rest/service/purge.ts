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
      "Exactly one of `documentId`, `memoryId` and `containerTag`, with `confirm: true`. Text, vectors, files and the words in the journal are removed and overwritten, and cannot be recovered. With a document, the facts that it alone states are removed. A memory is removed with all its versions, and what it says is cut out of the documents that state it, wherever it is a separate sentence or line (uploaded files of these documents are removed, since nothing can be cut out of them); everything else in them stays. `memories` counts every version, and `passages` what was cut out of documents that stay. `statedIn` lists documents that may still state it, because it is not known where, because it is part of a longer sentence or is in a place where facts are not looked for, or because they also belong to containers that are not yours: purge these too if nothing of it may remain. `complete` is false while words in files are still to be overwritten, which the server continues automatically.",
    refusals: { 404: "There is nothing with that name to erase." },
    tag: "settings",
    example: { documentId: "3mJr7AoUXx2Wqd9ZtYbN4c", confirm: true },
    body: purgeSchema,
    status: 200,
    answer,
    handle: ({ core, call, body }) => core.purge(call, body),
  }),
];
