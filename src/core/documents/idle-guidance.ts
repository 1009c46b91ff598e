import { namesIn, readPlainPrompt } from "./plain-wishes.js";

/** Guidance on how texts are read, by field name. */
export interface StatedGuidance {
  readonly filterPrompt?: unknown;
  readonly includeItems?: unknown;
  readonly excludeItems?: unknown;
  readonly workspacePrompt?: unknown;
  readonly entityContext?: unknown;
  readonly categories?: unknown;
  readonly filterByMetadata?: unknown;
}

const FORMS = "sentences such as “only remember facts about food” and “never store salaries”";
const WITHOUT_MODEL = "has no effect without a language model";

/**
 * The guidance that has no effect, as field and reason, e.g. `workspacePrompt: has no effect without a language model`. Empty
 * fields are ignored.
 */
export function idleGuidance(stated: StatedGuidance, { hasModel }: { readonly hasModel: boolean }): string[] {
  const idle: string[] = [];
  if (isSaid(stated.categories)) idle.push("categories: is stored, but has no effect");
  if (hasModel) return idle;
  if (isSaid(stated.filterByMetadata))
    idle.push(
      "filterByMetadata: limits only what is shown to a language model, or to an agent that reads the document",
    );
  for (const field of ["filterPrompt", "entityContext"] as const) {
    const prompt = stated[field];
    if (typeof prompt === "string" && isSaid(prompt)) idle.push(...idlePrompt(field, prompt));
  }
  if (isSaid(stated.workspacePrompt)) idle.push(`workspacePrompt: ${WITHOUT_MODEL}`);
  for (const field of ["includeItems", "excludeItems"] as const)
    if (isSaid(stated[field]) && !namesIn(stated[field]))
      idle.push(`${field}: ${WITHOUT_MODEL}, unless it is a list of names`);
  return idle;
}

function idlePrompt(field: string, prompt: string): string[] {
  const { only, never, saysMore } = readPlainPrompt(prompt);
  if (!saysMore) return [];
  if (only.length === 0 && never.length === 0) return [`${field}: ${WITHOUT_MODEL}; rules follow ${FORMS}`];
  return [`${field}: part of it ${WITHOUT_MODEL}; rules follow only ${FORMS}`];
}

function isSaid(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  if (typeof value !== "object" || value === null) return value !== undefined && value !== null;
  return Object.keys(value).length > 0;
}
