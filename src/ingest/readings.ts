import type { LanguageModel, Repositories } from "../core/ports.js";
import type { Document } from "../core/types.js";
import type { IngestContext } from "./context.js";
import { extractFactsPrompt } from "./prompts/extract-facts.js";
import { extractGroupPrompt } from "./prompts/extract-group.js";

/** Raised when the rules find other facts than before in texts that they have read. */
const RULES = "rules/2";

/** What finds facts in documents, with its version; the first is what reads a document again. */
export function versionsOf(model: LanguageModel | null): readonly string[] {
  if (!model) return [RULES];
  return [extractFactsPrompt, extractGroupPrompt].map(({ name, version }) => `${name}/${version}`);
}

/**
 * Notes what found the facts of a document, within the transaction that keeps them. What is added to a document that
 * something else has read before makes it no newer.
 */
export async function noteReading(
  context: Pick<IngestContext, "model">,
  repositories: Pick<Repositories, "extractions">,
  document: Read & Pick<Document, "rememberedRevision">,
): Promise<void> {
  if (document.rememberedRevision > 0) return;
  await repositories.extractions.noteReading(document.id, await readerOf(context, repositories, document));
}

type Read = Pick<Document, "id" | "organizationId" | "revision">;

/** What has read this revision of a document: rules where the model refused. */
export async function readerOf(
  { model }: Pick<IngestContext, "model">,
  { extractions }: Pick<Repositories, "extractions">,
  document: Read,
): Promise<string> {
  const prompt = model && (await extractions.promptOf(document.organizationId, document, versionsOf(model)));
  return prompt ?? RULES;
}
