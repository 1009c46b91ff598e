import type { AuthorizedCall, CoreContext } from "../context.js";
import { notFound } from "../errors.js";
import { explainFacts, type ExplainedFact } from "../memories/explain-facts.js";
import { withSecretWarnings } from "../memories/secret-warnings.js";
import { runOnce } from "../operations.js";
import { findDreamingReason } from "./documents.js";
import { prepareDocument } from "./prepare-document.js";
import { receiptOf, writeDocument, type DocumentReceipt } from "./write-document.js";

export { addDocumentSchema, type AddDocumentInput } from "./prepare-document.js";
export type { DocumentReceipt } from "./write-document.js";

/** The outcome for a document and its facts, as far as its sender may see it. */
export interface ExplainedReceipt extends Omit<DocumentReceipt, "facts"> {
  readonly facts: readonly ExplainedFact[] | null;
}

/**
 * Stores a text: row, journal entry and first job are committed together before the answer.
 * @throws AppError `invalid`, `too_large`, `forbidden`, or what the store throws
 */
export async function addDocument(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<ExplainedReceipt> {
  const prepared = prepareDocument(context, call.actor, raw);
  const receipt = await runOnce(context, call, "addDocument", (repositories) =>
    writeDocument(repositories, call.actor, prepared),
  );
  context.wakeJobs();
  const { wait, content, facts = [] } = prepared.input;
  const newest = wait ? await waitFor(context, call, receipt, wait) : receipt;
  return withSecretWarnings(await explained(context, call, newest), [content, ...facts.map(({ text }) => text)]);
}

async function waitFor(
  context: CoreContext,
  { actor: { organizationId } }: AuthorizedCall,
  receipt: DocumentReceipt,
  seconds: number,
): Promise<DocumentReceipt> {
  const newest = { ...receipt, ...(await waitForDocument(context, organizationId, receipt.id, seconds)) };
  if (!receipt.isOnlyUnread || newest.status !== "done") return newest;
  const { documents } = context.store;
  const reading = await documents.reading(organizationId, receipt.id);
  const isUnchanged = reading?.outcome?.unchangedIn === (await documents.newestRevision(organizationId, receipt.id));
  return { ...newest, ...(isUnchanged && { isUnchanged }) };
}

async function explained(
  { store, clock }: CoreContext,
  { actor }: AuthorizedCall,
  receipt: DocumentReceipt,
): Promise<ExplainedReceipt> {
  const { id, facts } = receipt;
  const reader = { repositories: store, actor, now: clock.now() };
  return { ...receipt, facts: facts && (await explainFacts(reader, id, facts)) };
}

/** Waits until a document is processed, failed or gone, or the time is up; returns its state at that point. */
export async function waitForDocument(
  context: CoreContext,
  organizationId: string,
  id: string,
  seconds: number,
): Promise<DocumentReceipt> {
  const { store, events, clock } = context;
  const deadline = clock.now().getTime() + seconds * 1_000;
  for (;;) {
    const remaining = deadline - clock.now().getTime();
    const changed = events.next(id, Math.max(1, Math.min(remaining, 1_000)));
    const document = await store.documents.byId(organizationId, id);
    if (!document) throw notFound("document", id);
    const isThrough =
      document.status === "failed" || (document.status === "done" && document.dreamingStatus === "done");
    if (isThrough) return receiptOf(document);
    if (remaining <= 0) {
      const dreamingReason = await findDreamingReason(context, document);
      return { ...receiptOf(document), ...(dreamingReason !== null && { dreamingReason }) };
    }
    await changed;
  }
}
