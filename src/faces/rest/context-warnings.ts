import { maySetContext } from "../../core/index.js";
import type { Actor } from "../../core/types.js";

const IGNORED = "a scoped key sets none, so the guidance of the container stays as it is; the rest was kept";

/** What is said when a caller sends guidance that is not taken from them. */
export function contextWarnings(actor: Actor, body: unknown): string[] {
  if (maySetContext(actor)) return [];
  const { documents } = Object(body) as { documents?: unknown };
  const parts = [body, ...(Array.isArray(documents) ? (documents as unknown[]) : [])];
  return parts.some(hasContext) ? [`entityContext: ${IGNORED}`] : [];
}

function hasContext(part: unknown): boolean {
  return typeof (Object(part) as { entityContext?: unknown }).entityContext === "string";
}
