import { keepKnownText } from "../documents/known-text.js";
import { yieldTurn } from "../../lib/time.js";
import { mayChange, maySee } from "../auth.js";
import type { CoreContext } from "../context.js";
import { firstJob, noteDocument } from "../documents/revise-document.js";
import { isSameFact } from "../memories/near-duplicates.js";
import type { DocumentChange, Repositories } from "../ports.js";
import type { Actor, Document } from "../types.js";
import { isSameSource, type CutPlan, planCut, readSource, type StatingSource } from "./stating-document.js";

/** The outcome for a document that states a memory. */
export interface CutOutcome {
  /** It said nothing else, and was removed. */
  readonly isRemoved: boolean;
  /** How many passages were cut out of it, if it stays. */
  readonly passages: number;
  /** Keys of uploads that are no longer referenced: nothing can be cut out of them. */
  readonly files: readonly string[];
  /**
   * Whether it may still say it to somebody who may see it: at an unknown place, within a sentence that says more, or because
   * it is also in containers other than the actor's.
   */
  readonly mayStillSay: boolean;
  /** The revision it was left at. */
  readonly revision: number;
}

/**
 * Cuts what memories say out of a document that states them: the passage recorded for each, and every sentence or line that
 * says the same. Everything else stays as it is, and is indexed again. The cuts are computed before the transaction, and again
 * if the document has changed by then.
 * @param wanted ids of the memories, all versions
 * @param beside runs in the same transaction
 * @returns null when the document is gone
 * @throws the signal's reason
 */
export async function cutFromDocument(
  context: CoreContext,
  actor: Actor,
  { documentId, wanted }: { readonly documentId: string; readonly wanted: ReadonlySet<string> },
  {
    beside,
    signal,
  }: {
    readonly beside: (repositories: Repositories, cut: CutOutcome) => Promise<void>;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<CutOutcome | null> {
  const { store } = context;
  for (;;) {
    await yieldTurn(signal);
    const source = await readSource(store, actor.organizationId, documentId, wanted);
    if (!source) return null;
    const plan = mayChange(actor, source.document.containerTags) ? await planCut(store, actor, source, signal) : null;
    if (!plan || plan.cut.places.length === 0) return keptAsItIs(actor, source);
    const cut = await store.transaction(async (repositories) => {
      const current = await readSource(repositories, actor.organizationId, documentId, wanted);
      if (!current || !isSameSource(source, current)) return null;
      const cut = await write(repositories, actor, current, plan);
      await beside(repositories, cut);
      return cut;
    });
    if (!cut) continue;
    context.events.changed(documentId);
    context.wakeJobs();
    return cut;
  }
}

function keptAsItIs(actor: Actor, { document }: StatingSource): CutOutcome {
  const mayStillSay = maySee(actor, document.containerTags);
  return { isRemoved: false, passages: 0, files: [], mayStillSay, revision: document.revision };
}

async function write(
  repositories: Repositories,
  actor: Actor,
  source: StatingSource,
  plan: CutPlan,
): Promise<CutOutcome> {
  const { document, wanted, isLight } = source;
  const { organizationId, id, facts } = document;
  const { cut, rest, saysMore, links } = plan;
  await repositories.purges.requote(organizationId, id, links);
  if (rest.content.trim() === "") {
    const { files } = await repositories.purges.memories(organizationId, [], {
      documents: [id],
      within: actor.containers,
    });
    return { isRemoved: true, passages: 0, files, mayStillSay: false, revision: document.revision };
  }
  const keepsFact = (text: string) => !wanted.some(({ memory }) => isSameFact(memory.text, text));
  const change = { ...rest, ...(facts && { facts: facts.filter((fact) => keepsFact(fact.text)) }) };
  const result = { isRemoved: false, passages: cut.places.length, mayStillSay: saysMore };
  if (isLight) {
    await repositories.documents.update(organizationId, id, change);
    return { ...result, files: [], revision: document.revision };
  }
  const files = await repositories.purges.takeText(organizationId, id, {
    text: (text) => rewritten(plan, text),
    keepsFact,
  });
  const next = {
    ...change,
    ...nextRevision(document),
    title: plan.title,
    ...(files.length > 0 && { url: null }),
  } satisfies DocumentChange;
  await repositories.documents.update(organizationId, id, next);
  // Fetching it again could bring the words back.
  await keepKnownText(repositories, document);
  const revised: Document = { ...document, ...next };
  await repositories.jobs.dropDead(id);
  await repositories.jobs.enqueue([firstJob(revised)]);
  await noteDocument(repositories, actor, revised, { action: "document.cut", before: { revision: document.revision } });
  return { ...result, files, revision: revised.revision };
}

/** Jobs working on the previous revision end by themselves. */
function nextRevision({ revision, rememberedRevision, taskType }: Document) {
  return {
    summary: null,
    revision: revision + 1,
    ...(rememberedRevision >= revision && { rememberedRevision: revision + 1 }),
    status: "queued",
    dreamingStatus: taskType === "memory" ? "dreaming" : "done",
    errorReason: null,
  } satisfies DocumentChange;
}

function rewritten({ texts }: CutPlan, text: string): string {
  const found = texts.get(text);
  if (found === undefined) throw new Error("A text of the document came up that nothing was looked for in.");
  return found;
}
