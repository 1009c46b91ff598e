import { systemActor } from "../core/auth.js";
import { resolveFacts, type Resolution, type StatedCandidate } from "../core/memories/resolve-facts.js";
import { writeFacts } from "../core/memories/write-facts.js";
import { speakersOf } from "../core/memories/trust.js";
import { formsMemories } from "../core/documents/memory-paths.js";
import type { ContainerRow, JobContext } from "../core/ports.js";
import type { Document, RememberedFact, Turn } from "../core/types.js";
import { findAddition } from "./addition.js";
import type { IngestContext } from "./context.js";
import { createQuoteFinder } from "../lib/find-quote.js";
import { guidanceFor } from "../core/documents/guidance.js";
import { knownFor } from "./known-memories.js";
import { noteReading } from "./readings.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

/** A text up to this length that its sender asked to be remembered becomes one fact if no rule finds any. */
const AS_IS_LENGTH = 600;

/**
 * Last step: candidates, resolved against what is known, committed as one batch with its receipt. Reads what was
 * submitted since the revision that was remembered last, and nothing before it.
 */
export async function rememberDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const current = await loadCurrent(context, payload);
  const resolved = current ? await resolveForContainers(context, current, job.signal) : [];
  await commitStep(context, job, payload, async (nouns, document) => {
    const { organizationId, id, revision } = document;
    const isRemembered = document.rememberedRevision >= revision;
    const stillIn = new Set((await nouns.containers.ofDocument(organizationId, id)).map((container) => container.id));
    const receipt: RememberedFact[] = [];
    for (const { container, resolution } of resolved.filter(({ container }) => stillIn.has(container.id)))
      receipt.push(
        ...(await writeFacts(nouns, {
          actor: systemActor(organizationId),
          container,
          documentId: id,
          origin: document.origin,
          resolution,
          now: context.clock.now(),
          statedAt: document.documentDate,
          maxSuperseded: context.limits.maxSuperseded,
        })),
      );
    await noteReading(context, nouns, document);
    await nouns.documents.settleRevisions(organizationId, id, revision);
    await nouns.documents.update(organizationId, id, {
      dreamingStatus: "done",
      rememberedRevision: revision,
      ...(!isRemembered && { receipt }),
    });
    return null;
  });
}

async function resolveForContainers(
  context: IngestContext,
  document: Document,
  signal: AbortSignal,
): Promise<{ container: ContainerRow; resolution: Resolution }[]> {
  const { organizationId, id } = document;
  const containers: ContainerRow[] = [];
  for (const container of await context.store.containers.ofDocument(organizationId, id))
    if (await formsMemories(context.store, organizationId, container.tag, document.filepath))
      containers.push(container);
  if (containers.length === 0) return [];
  const candidates = withPlaces(await findCandidates(context, document, signal), document.content);
  if (candidates.length === 0) return [];
  const resolved = [];
  for (const container of containers)
    resolved.push({
      container,
      resolution: await resolveFacts(context, organizationId, container, candidates, signal),
    });
  return resolved;
}

/** What every submission since the last remembered one adds, in order: none is lost to the one that follows it. */
async function findCandidates(
  context: IngestContext,
  document: Document,
  signal: AbortSignal,
): Promise<StatedCandidate[]> {
  const { documents } = context.store;
  const { organizationId, id, rememberedRevision } = document;
  if (rememberedRevision >= document.revision) return [];
  const textOf = async (revision: number) => (await documents.revisionText(organizationId, id, revision)) ?? "";
  const candidates: StatedCandidate[] = [];
  let previous = rememberedRevision > 0 ? await textOf(rememberedRevision) : "";
  for (const { revision, ...submission } of await documents.pendingRevisions(organizationId, id)) {
    const content = await textOf(revision);
    const earlier = { ...document, ...submission, content, turns: null };
    candidates.push(...(await candidatesOf(context, earlier, previous, signal)));
    previous = content;
  }
  candidates.push(...(await candidatesOf(context, document, previous, signal)));
  return candidates;
}

/** The sender's own facts where there are any, else what the extractor finds in the new part of the text. */
async function candidatesOf(
  { factExtractor, model, store }: IngestContext,
  document: Document,
  previous: string,
  signal: AbortSignal,
): Promise<StatedCandidate[]> {
  if (document.facts) return document.facts.map(candidateOf);
  const { content, turns, date } = await findAddition(previous, document);
  if (content === "") return [];
  const found = await factExtractor.extract(
    {
      content,
      containerTag: document.containerTags[0] ?? "",
      date: date ?? document.documentDate ?? document.createdAt,
      turns,
      title: document.title,
      guidance: await guidanceFor(store, document),
      known: model ? await knownFor(store.memories, document) : [],
      onModelUse: (use) =>
        store.extractions.note(document.organizationId, {
          ...use,
          documentId: document.id,
          revision: document.revision,
        }),
    },
    signal,
  );
  const said = withSpeakers(found, turns ?? [], document.turns !== null);
  if (said.length > 0 || !document.rememberAsIs || content.length > AS_IS_LENGTH) return said;
  return [{ text: content.replace(/\s+/gu, " ").trim(), kind: "fact", isStatic: false, quote: content }];
}

/** Says of every quote where it stands in the newest text of the document, if it does. */
function withPlaces(candidates: readonly StatedCandidate[], content: string): StatedCandidate[] {
  const find = createQuoteFinder(content);
  return candidates.map((candidate) => {
    const quoteAt = candidate.quote === undefined ? null : find(candidate.quote);
    return quoteAt ? { ...candidate, quoteAt } : candidate;
  });
}

/** Anybody can write a transcript; only in one that was sent as a conversation is the user's word the owner's own. */
function withSpeakers(
  candidates: readonly StatedCandidate[],
  turns: readonly Turn[],
  wasSentAsTurns: boolean,
): StatedCandidate[] {
  const speakerOf = speakersOf(turns);
  return candidates.map((candidate) => {
    const speaker = speakerOf(candidate.quote);
    return speaker === undefined || (speaker === "User" && !wasSentAsTurns) ? candidate : { ...candidate, speaker };
  });
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
