import { systemActor } from "../core/auth.js";
import { resolveFacts, writeFacts, type Resolution, type StatedCandidate } from "../core/facts.js";
import type { ContainerRow, JobContext } from "../core/ports.js";
import type { Document, RememberedFact } from "../core/types.js";
import type { IngestContext } from "./context.js";
import { parseConversation } from "./conversation.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

/** A text up to this length that its sender asked to be remembered becomes one fact if no rule finds any. */
const AS_IS_LENGTH = 600;

/** Last step: candidates, resolved against what is known, committed as one batch with its receipt. */
export async function rememberDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const current = await loadCurrent(context, payload);
  const resolved = current ? await resolveForContainers(context, current, job.signal) : [];
  await commitStep(context, job, payload, async (nouns, document) => {
    const receipt: RememberedFact[] = [];
    for (const { container, resolution } of resolved)
      receipt.push(
        ...(await writeFacts(nouns, {
          actor: systemActor(document.organizationId),
          container,
          documentId: document.id,
          origin: document.origin,
          resolution,
          now: context.clock.now(),
        })),
      );
    await nouns.documents.update(document.organizationId, document.id, { dreamingStatus: "done", receipt });
    return null;
  });
}

async function resolveForContainers(
  context: IngestContext,
  document: Document,
  signal: AbortSignal,
): Promise<{ container: ContainerRow; resolution: Resolution }[]> {
  const candidates = await findCandidates(context, document, signal);
  if (candidates.length === 0) return [];
  const { organizationId, id } = document;
  const resolved = [];
  for (const container of await context.store.containers.ofDocument(organizationId, id))
    resolved.push({
      container,
      resolution: await resolveFacts(context, organizationId, container, candidates, signal),
    });
  return resolved;
}

/** The sender's own facts where there are any, else what the extractor finds. */
async function findCandidates(
  { factExtractor }: IngestContext,
  document: Document,
  signal: AbortSignal,
): Promise<StatedCandidate[]> {
  if (document.facts) return document.facts.map(candidateOf);
  const conversation = await parseConversation(document.content);
  const found = await factExtractor.extract(
    {
      content: document.content,
      containerTag: document.containerTags[0] ?? "",
      date: conversation?.date ?? document.documentDate ?? document.createdAt,
      turns: conversation?.turns,
    },
    signal,
  );
  if (found.length > 0 || !document.rememberAsIs || document.content.length > AS_IS_LENGTH) return found;
  const text = document.content.replace(/\s+/gu, " ").trim();
  return [{ text, kind: "fact", isStatic: false, quote: document.content }];
}

function candidateOf(fact: NonNullable<Document["facts"]>[number]): StatedCandidate {
  return {
    text: fact.text,
    kind: "fact",
    isStatic: fact.isStatic ?? false,
    ...(fact.forgetAfter !== undefined && { forgetAfter: fact.forgetAfter }),
    ...(fact.updates !== undefined && { updates: fact.updates }),
  };
}
