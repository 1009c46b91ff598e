import type { LanguageModel, StoreNouns } from "../core/ports.js";
import type { Document } from "../core/types.js";
import type { IngestContext } from "./context.js";
import { extractFactsPrompt } from "./prompts/extract-facts.js";
import { extractGroupPrompt } from "./prompts/extract-group.js";

/** Raised when the rules find other facts than before in texts that they have read. */
const RULES = "rules/1";

/** What finds facts in documents, with its version; the first is what reads a document again. */
export function versionsOf(model: LanguageModel | null): readonly string[] {
  if (!model) return [RULES];
  return [extractFactsPrompt, extractGroupPrompt].map(({ name, version }) => `${name}/${version}`);
}

/**
 * Notes what found the facts of a document, within the transaction that keeps them: rules where the model refused. What is
 * added to a document that something else has read before makes it no newer, unless it was read as a whole.
 */
export async function noteReading(
  { model }: Pick<IngestContext, "model">,
  { extractions }: Pick<StoreNouns, "extractions">,
  document: Pick<Document, "id" | "organizationId" | "revision" | "rememberedRevision">,
  { asWhole = document.rememberedRevision === 0 } = {},
): Promise<void> {
  if (!asWhole) return;
  const versions = versionsOf(model);
  const prompt = model && (await extractions.promptOf(document.organizationId, document, versions));
  await extractions.noteReading(document.id, prompt ?? RULES);
}
