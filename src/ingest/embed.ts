import { embedUnits } from "../core/embeddings/embed-units.js";
import type { Embedder, JobContext } from "../core/ports.js";
import { unitOf } from "../core/types.js";
import type { IngestContext } from "./context.js";
import { describeJob } from "./describe.js";
import { rememberStep } from "./quiet.js";
import { commitStep, isCurrent, loadCurrent, type StepPayload } from "./step.js";

/** Third step: computes the missing vectors of the chunks. After it the document is done: all of it can be found. */
export async function embedChunks(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const { embedders, calibrations } = context;
  for (let embedder: Embedder | null = null; embedder !== embedders.active();) {
    // Another embedder may have taken over meanwhile; the document is done when that one finds it.
    embedder = embedders.active();
    if (!(await embedWith(context, embedder, payload, job.signal))) break;
    await calibrations.measure(embedder, job.signal);
  }
  await commitStep(context, job, payload, async (repositories, current) => {
    const { organizationId, id } = current;
    const remembers = current.taskType === "memory";
    await repositories.documents.update(organizationId, id, {
      status: "done",
      errorReason: null,
      ...(!remembers && { dreamingStatus: "done", receipt: [] }),
    });
    const describing = await describeJob(context, repositories, current, job.job.group);
    if (describing) await repositories.jobs.enqueue([describing]);
    return remembers ? rememberStep(context, repositories, current, job.job.group) : null;
  });
}

/** @returns false when the document is gone */
async function embedWith(
  context: IngestContext,
  embedder: Embedder,
  payload: StepPayload,
  signal: AbortSignal,
): Promise<boolean> {
  const { store } = context;
  const document = await loadCurrent(context, payload);
  if (!document) return false;
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
  await embedUnits({ store, embedder, signal }, units, (repositories) => isCurrent(context, payload, repositories));
  return true;
}
