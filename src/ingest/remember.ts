import type { JobContext } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { findCandidates, submissionsOf } from "./candidates.js";
import type { IngestContext } from "./context.js";
import { dropFound, findOnce } from "./found-candidates.js";
import { gatherGroup } from "./quiet.js";
import { rememberGroup } from "./remember-group.js";
import { keepFacts, resolveForContainers, saidWhen } from "./keep-facts.js";
import { noteRefusedRelations } from "./model-failures.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

/**
 * Last step: candidates, resolved against what is known, committed as one batch with a receipt. Reads only what was
 * submitted since the last remembered revision. A document that waited for quiet is remembered together with the others
 * that waited in its containers.
 */
export async function rememberDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const group = await gatherGroup(context, payload, job);
  if (group === null) return;
  if (group.length > 1) await rememberGroup(context, group, job);
  else await rememberAlone(context, payload, job);
}

async function rememberAlone(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const document = await loadCurrent(context, payload);
  const find = async (read: Document) => findCandidates(context, await submissionsOf(context, read), job.signal);
  const candidates = document ? await findOnce(context, document, () => find(document)) : [];
  const resolved = document ? await resolveForContainers(context, document, candidates, job.signal) : [];
  if (document) await noteRefusedRelations(context, document, resolved);
  const statedAt = document ? await saidWhen(context, document, payload.waits) : null;
  await commitStep(context, job, payload, async (repositories, current) => {
    await keepFacts(context, repositories, current, { resolved, statedAt });
    return null;
  });
  if (document) dropFound(context, document);
}
