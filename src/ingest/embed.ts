import * as z from "zod";
import { embedInBatches } from "../core/memories/resolve-facts.js";
import type { Embedder, JobContext, PlainUnit, Store, StoreNouns } from "../core/ports.js";
import { unitOf, type Unit, type VectorSpace } from "../core/types.js";
import { yieldTurn } from "../lib/time.js";
import type { IngestContext } from "./context.js";
import { describeJob } from "./describe.js";
import { rememberStep } from "./quiet.js";
import { commitStep, isCurrent, loadCurrent, type StepPayload } from "./step.js";

/** Vectors written in one transaction; more would hold up other callers. */
const WRITE_BATCH = 64;

/** Third step: vectors for the chunks that have none. With it a document is done: everything of it can be found. */
export async function embedChunks(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const { store } = context;
  const embedder = context.embedders.active();
  const document = await loadCurrent(context, payload);
  if (document) {
    const { organizationId, id, revision } = document;
    const space = await store.findSpace(embedder.fingerprint);
    const chunks = await store.chunks.withoutVector(organizationId, id, revision, space);
    const containers = await store.containers.ofDocument(organizationId, id);
    const containerIds = containers.map((container) => container.id);
    const units = chunks.map((chunk) => ({
      unit: unitOf("chunk", chunk.seq),
      containerIds,
      text: chunk.content,
      context: chunk.context,
    }));
    await embedUnits({ store, embedder }, units, job.signal, (nouns) => isCurrent(context, payload, nouns));
    await context.calibrations.measure(embedder, job.signal);
  }
  await commitStep(context, job, payload, async (nouns, current) => {
    const { organizationId, id } = current;
    const remembers = current.taskType === "memory";
    await nouns.documents.update(organizationId, id, {
      status: "done",
      errorReason: null,
      ...(!remembers && { dreamingStatus: "done", receipt: [] }),
    });
    const describing = await describeJob(context, nouns, current, job.job.group);
    if (describing) await nouns.jobs.enqueue([describing]);
    return remembers ? rememberStep(context, nouns, current, job.job.group) : null;
  });
}

/**
 * Embeds units batch by batch; what is written stays written when a later batch fails. Whether they are still wanted
 * is asked in the transaction that writes, or a document could be moved in between.
 */
async function embedUnits(
  { store, embedder }: { readonly store: Store; readonly embedder: Embedder },
  units: readonly PlainUnit[],
  signal: AbortSignal,
  isStillWanted: (nouns: StoreNouns) => Promise<boolean>,
): Promise<void> {
  const size = Math.min(WRITE_BATCH, embedder.maxBatch);
  for (let start = 0; start < units.length; start += size) {
    await yieldTurn(signal);
    const batch = units.slice(start, start + size);
    const vectors = await embedInBatches(embedder, batch.map(textToEmbed), signal);
    const space = await store.ensureSpace(embedder.fingerprint, vectors[0]?.length ?? 0);
    await yieldTurn(signal);
    const isWritten = await store.transaction(async (nouns) => {
      if (!(await isStillWanted(nouns))) return false;
      await writeVectors(nouns, space, batch, vectors);
      return true;
    });
    if (!isWritten) return;
  }
}

async function writeVectors(
  { units }: StoreNouns,
  space: VectorSpace,
  embedded: readonly PlainUnit[],
  vectors: readonly Float32Array[],
): Promise<void> {
  for (const [index, { unit }] of embedded.entries()) {
    const vector = vectors[index];
    if (vector) await units.addVector(unit, space, vector);
  }
}

function textToEmbed({ text }: PlainUnit): string {
  return text;
}

export const embedMissingSchema = z.object({});

/**
 * Gives a vector to everything that has none in the embedder's space: facts that were kept while the provider was
 * away, and everything after a change of the embedder. Searches go on by words meanwhile.
 */
export async function embedMissing(context: IngestContext, _payload: unknown, job: JobContext): Promise<void> {
  const { store } = context;
  const embedder = context.embedders.active();
  const [probe] = await embedder.embed(["probe"], "document", job.signal);
  const space = await store.ensureSpace(embedder.fingerprint, probe?.length ?? 0);
  let after: Unit = -1;
  for (;;) {
    const units = await store.units.withoutVector(space, after, WRITE_BATCH);
    const last = units.at(-1);
    if (!last) return;
    await embedUnits({ store, embedder }, units, job.signal, async () => true);
    after = last.unit;
  }
}
