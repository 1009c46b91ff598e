import type { LanguageModel, Repositories } from "../core/ports.js";
import type { Document } from "../core/types.js";
import type { IngestContext } from "./context.js";
import { extractFactsPrompt } from "./prompts/extract-facts.js";
import { extractGroupPrompt } from "./prompts/extract-group.js";

/** To be raised when the rules find different facts in texts they have already read. */
const RULES = "rules/2";

/** The fact extractors with their versions; the first is the one that rereads documents. */
export function versionsOf(model: LanguageModel | null): readonly string[] {
  if (!model) return [RULES];
  return [extractFactsPrompt, extractGroupPrompt].map(({ name, version }) => `${name}/${version}`);
}

/**
 * Records what found the facts of a document, within the transaction that stores them. Text added to a document that
 * something else has read before does not make its reading newer.
 */
export async function noteReading(
  context: Pick<IngestContext, "model">,
  repositories: Pick<Repositories, "extractions">,
  document: Read & Pick<Document, "rememberedRevision">,
): Promise<void> {
  if (document.rememberedRevision > 0) return;
  await repositories.extractions.noteReading(document.id, await extractorOf(context, repositories, document));
}

type Read = Pick<Document, "id" | "organizationId" | "revision">;

/** What read this revision of a document: rules, if the model refused. */
export async function extractorOf(
  { model }: Pick<IngestContext, "model">,
  { extractions }: Pick<Repositories, "extractions">,
  document: Read,
): Promise<string> {
  const prompt = model && (await extractions.promptOf(document.organizationId, document, versionsOf(model)));
  return prompt ?? RULES;
}
