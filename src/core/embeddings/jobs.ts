import * as z from "zod";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Embedder, JobContext, JobHandler, Store, Repositories } from "../ports.js";
import type { VectorSpace } from "../types.js";
import { fillSpace, followSpace } from "./fill.js";
import { isMoveDue, moveEmbeddings } from "./move.js";
import { createTokenLimiter } from "./token-limiter.js";
import { patientEmbedder } from "./patient-embedder.js";

/** With a large record and a slow service this takes days; nothing else waits for it. */
const LONGEST_MS = 14 * 24 * 3_600_000;

/** The jobs that keep vectors complete, by kind. Each runs alongside all other work. */
export function createEmbeddingJobs(context: CoreContext): Record<string, JobHandler> {
  const tokenLimiter = createTokenLimiter(context.limits.embeddingTokensPerMinute);
  const alone = (run: (job: JobContext) => Promise<void>): JobHandler<object> => ({
    schema: z.object({}),
    slots: 1,
    timeoutMs: LONGEST_MS,
    resumes: true,
    run: (_payload, job) => run(job),
  });
  return {
    "move-embeddings": alone(async (job) => {
      do await moveEmbeddings({ ...context, tokenLimiter }, job);
      while (
        !(await finishUnless(context, job, async (repositories) =>
          isMoveDue((await repositories.embeddings.placed()).next),
        ))
      );
    }),
    "embed-missing": alone(async (job) => {
      let embedder: Embedder;
      do {
        embedder = context.embedders.active();
        await embedMissing(context, embedder, job);
      } while (!(await finishUnless(context, job, async () => context.embedders.active() !== embedder)));
    }),
    "follow-embeddings": alone((job) => followEmbeddings(context, job)),
    "drop-vectors": alone(async (job) => {
      do await dropVectors(context, job);
      while (!(await finishUnless(context, job, async ({ embeddings }) => (await embeddings.abandoned()).length > 0)));
    }),
  };
}

/**
 * Ends a job in the transaction that finds nothing left to do: a later request creates a new job.
 * @returns false when there is more to do
 */
async function finishUnless(
  { store }: CoreContext,
  job: JobContext,
  isMoreToDo: (repositories: Repositories) => Promise<boolean>,
): Promise<boolean> {
  return store.transaction(async (repositories) => {
    if (await isMoreToDo(repositories)) return false;
    await job.finish(repositories.jobs);
    return true;
  });
}

/**
 * Adds the missing vectors of the active space: of facts stored while the provider was unavailable, and of what was written
 * while another embedder took over. Until then searches find it by its words.
 */
async function embedMissing(
  { store, embedders }: CoreContext,
  embedder: Embedder,
  { signal }: JobContext,
): Promise<void> {
  for (let last: number | null = null; ;) {
    const space = await spaceOf(store, embedder, signal);
    const isActive = () => Promise.resolve(embedders.active() === embedder);
    const count = await fillSpace({ store, embedder: patientEmbedder(embedder), signal }, space, isActive, {
      settled: true,
    });
    // Something may have been written behind the current position; what cannot be embedded is left.
    if (count === null || count === 0 || count === last) return;
    last = count;
  }
}

/** The space of an embedder; a new embedder is asked for the size of its vectors. */
async function spaceOf(store: Store, embedder: Embedder, signal: AbortSignal): Promise<VectorSpace> {
  const known = await store.findSpace(embedder.fingerprint);
  if (known) return known;
  const [probe] = await embedder.embed(["probe"], "document", signal);
  return store.ensureSpace(embedder.fingerprint, probe?.length ?? 0);
}

/** Keeps the space of the previous embedder complete for as long as it can be restored. */
async function followEmbeddings({ store, embedders, log }: CoreContext, { signal }: JobContext): Promise<void> {
  const { previous } = await store.embeddings.placed();
  const active = embedders.active();
  const from = await store.findSpace(active.fingerprint);
  const space = previous?.fingerprint ? await store.findSpace(previous.fingerprint) : null;
  if (!previous || !space || !from) return;
  const { fingerprint } = previous;
  try {
    const embedder = await embedders.prepare(previous.choice, { signal });
    if (embedder.fingerprint !== fingerprint) return;
    await followSpace(
      { store, embedder: patientEmbedder(embedder), signal },
      { space, from },
      async ({ embeddings }) => {
        const placed = await embeddings.placed();
        return placed.previous?.fingerprint === fingerprint && embedders.active() === active;
      },
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.debug("the vectors of the previous embedder are not kept up to date for now", { reason: error.message });
  }
}

/** Removes the vectors of abandoned spaces from the record and from the index. */
async function dropVectors({ store, vectors }: CoreContext, { signal }: JobContext): Promise<void> {
  for (const id of await store.embeddings.abandoned()) {
    signal.throwIfAborted();
    await store.vectors.dropSpace(id);
    await vectors.dropSpace(id);
  }
}
