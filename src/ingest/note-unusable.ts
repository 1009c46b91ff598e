import type { Log } from "../core/ports.js";
import { isUsable, type StatedByModel } from "./prompts/fact-rules.js";

/** Logs how many entries of an answer are not facts. */
export function noteUnusable(log: Log, stated: readonly StatedByModel[]): void {
  const unusable = stated.filter((fact) => !isUsable(fact)).length;
  if (unusable > 0) log.warn("unusable facts from the language model", { unusable, facts: stated.length });
}
