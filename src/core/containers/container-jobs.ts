import type { CoreContext } from "../context.js";
import { deletedContainerSchema, emptyContainer } from "./delete-container.js";
import { mergeJobSchema, runMerge } from "./merge-job.js";
import type { JobHandler } from "../ports.js";
import { createPurgeJob } from "../upkeep/purge.js";

/** Both process a whole container, which may be large. */
const TIMEOUT_MS = 6 * 60 * 60 * 1_000;

/** Background work on whole containers, and unfinished purges, by job kind. */
export function createContainerJobs(context: CoreContext): Record<string, JobHandler> {
  return {
    "merge-containers": handler({
      schema: mergeJobSchema,
      timeoutMs: TIMEOUT_MS,
      resumes: true,
      run: (payload, job) => runMerge(context, payload, job),
    }),
    "empty-container": handler({
      schema: deletedContainerSchema,
      timeoutMs: TIMEOUT_MS,
      resumes: true,
      run: (deleted, { signal }) => emptyContainer(context, deleted, { signal }),
    }),
    purge: handler(createPurgeJob(context)),
  };
}

/** Ties the types of a payload and its handler together. */
function handler<Payload>(one: JobHandler<Payload>): JobHandler {
  return one;
}
