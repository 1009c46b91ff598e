import type { DeadJob } from "../core/ports.js";
import type { IngestContext } from "./context.js";
import { stepSchema } from "./step.js";

const KIND = "embed";
/** Jobs per transaction; more would delay other callers. */
const BATCH = 200;
const MOST = 100_000;

/**
 * Retries embedding jobs that wait for their service, or were given up because of it: a restart may mean that the cause
 * was fixed.
 */
export async function takeUpEmbedding({ store, log }: Pick<IngestContext, "store" | "log">): Promise<void> {
  const dead = (await store.jobs.dead(MOST)).filter(isFaultOfService);
  for (let start = 0; start < dead.length; start += BATCH) {
    const batch = dead.slice(start, start + BATCH);
    await store.transaction(async ({ documents, jobs }) => {
      await jobs.revive(batch.map(({ id }) => id));
      for (const { payload } of batch) {
        const step = stepSchema.safeParse(payload);
        const [head] = step.success ? await documents.headsByIds(store.organizationId, [step.data.documentId]) : [];
        if (head?.status === "failed" && head.revision === step.data?.revision)
          await documents.update(store.organizationId, head.id, { status: "embedding", errorReason: null });
      }
    });
  }
  if (dead.length > 0) log.info("documents whose embedding was given up are retried", { count: dead.length });
  await store.jobs.hasten(KIND);
}

/** Excludes jobs that ended the process or took too long. */
function isFaultOfService({ kind, reason }: DeadJob): boolean {
  return kind === KIND && reason.includes("The embedding service");
}
