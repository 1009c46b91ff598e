import * as z from "zod";
import type { CoreContext } from "../context.js";
import type { JobHandler } from "../ports.js";
import { yieldTurn } from "../../lib/time.js";

const REWRITE_JOB = "rewrite-text-index";
/** Units per step: about ten milliseconds. */
const BATCH = 50;
const LONGEST_MS = 24 * 3_600_000;

/** Queues a background rewrite of the text index when the tokenisation has changed. */
export async function enqueueRewriting({ store }: CoreContext): Promise<void> {
  if (await store.textIndex.isCurrent()) return;
  await store.jobs.enqueue([{ kind: REWRITE_JOB, payload: {}, group: "system", key: REWRITE_JOB }]);
}

/** The job that does so, by kind. It continues where it was interrupted; until then searches find everything by meaning. */
export function createTextIndexJobs({ store, log }: CoreContext): Record<string, JobHandler> {
  return {
    [REWRITE_JOB]: {
      schema: z.object({}),
      slots: 1,
      timeoutMs: LONGEST_MS,
      resumes: true,
      async run(_payload, { signal }) {
        let texts = 0;
        for (let isDone = false; !isDone;) {
          await yieldTurn(signal);
          const step = await store.textIndex.rewriteSome(BATCH);
          texts += step.rewritten;
          ({ isDone } = step);
        }
        log.info("text index rebuilt", { texts });
      },
    },
  };
}
