import type { Repositories } from "../ports.js";
import type { Actor, Document } from "../types.js";
import { FILES_PATH } from "./file-links.js";
import { awaitReading } from "./known-text.js";
import { firstJob, reviseDocument } from "./revise-document.js";

/** Documents whose files were read and are stored, by id: they can be read again with the current settings. */
export async function findRereadable(
  { documents }: Pick<Repositories, "documents">,
  among: readonly Document[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { organizationId, id, url, status, dreamingStatus } of among) {
    if (status !== "done" || dreamingStatus !== "done") continue;
    const reading = await documents.reading(organizationId, id);
    if (reading?.outcome && url === `${FILES_PATH}${reading.fileKey}`) found.add(id);
  }
  return found;
}

/** Queues the file of a document to be read again, inside a transaction, and its facts to be extracted from all of its text. */
export async function rereadFile(repositories: Repositories, actor: Actor, document: Document): Promise<void> {
  const { organizationId, id, taskType, facts } = document;
  const reading = await repositories.documents.reading(organizationId, id);
  if (!reading?.outcome) return;
  const { digest } = reading;
  const { notReadAgain: _before, ...outcome } = reading.outcome;
  const revised = await reviseDocument(repositories, actor, document, {
    change: {},
    reads: taskType === "memory" && !facts ? "whole" : "addition",
    action: "document.retried",
    isUnread: true,
  });
  await awaitReading(repositories, revised, { digest, former: { ...outcome, isOfSameFile: true } });
}

/**
 * Handles a document whose reading was given up, inside a transaction: if the same file gave its text before, it continues with
 * that.
 * @returns false if there is no such text
 */
export async function goOnWithKnownText(
  repositories: Repositories,
  { organizationId, id }: Pick<Document, "organizationId" | "id">,
  reason: string,
): Promise<boolean> {
  const { documents, jobs } = repositories;
  const reading = await documents.reading(organizationId, id);
  const document = await documents.byId(organizationId, id);
  if (!document || reading?.outcome !== null || !reading.former?.isOfSameFile) return false;
  const { isOfSameFile: _sameFile, ...known } = reading.former;
  await documents.keepReading(organizationId, id, {
    ...reading,
    outcome: { ...known, notReadAgain: reason },
    former: null,
  });
  await jobs.enqueue([firstJob(document)]);
  return true;
}
