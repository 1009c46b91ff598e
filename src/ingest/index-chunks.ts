import { timeZoneOf } from "../core/containers/time-zone.js";
import type { JobContext } from "../core/ports.js";
import { chunkingOf } from "../core/service/chunking.js";
import { readSettings } from "../core/service/settings.js";
import { unitOf } from "../core/types.js";
import { createId } from "../lib/ids.js";
import { yieldTurn } from "../lib/time.js";
import { chunkDocument } from "./chunk.js";
import type { IngestContext } from "./context.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

/** Chunks indexed in one go; a large document must not keep callers waiting. */
const YIELD_EVERY = 50;

/**
 * Second step: cuts the text and makes its chunks findable by their words, in place of those of older revisions. Chunks
 * that are as they were stay untouched.
 */
export async function indexChunks(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const current = await loadCurrent(context, payload);
  const pieces = current
    ? await chunkDocument({
        content: current.content,
        type: current.type,
        title: current.title,
        filepath: current.filepath,
        date: current.documentDate,
        timeZone: await timeZoneOf(context, current),
        turns: current.turns,
        chunking: chunkingOf(await readSettings(context.store, current.organizationId, current.client)),
      })
    : [];
  await commitStep(context, job, payload, async (nouns, document) => {
    const { organizationId, id, revision } = document;
    const drafts = pieces.map((piece) => ({ ...piece, id: createId() }));
    const chunks = await nouns.chunks.replace(organizationId, id, revision, drafts);
    const added = new Set(drafts.map((draft) => draft.id));
    const containers = await nouns.containers.ofDocument(organizationId, id);
    const containerIds = containers.map((container) => container.id);
    for (const [index, chunk] of chunks.filter((chunk) => added.has(chunk.id)).entries()) {
      if (index % YIELD_EVERY === YIELD_EVERY - 1) await yieldTurn(job.signal);
      await nouns.units.indexText({
        unit: unitOf("chunk", chunk.seq),
        containerIds,
        text: chunk.content,
        context: chunk.context,
      });
    }
    await nouns.documents.update(organizationId, id, { status: "embedding" });
    return "embed";
  });
}
