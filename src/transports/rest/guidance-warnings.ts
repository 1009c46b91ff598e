import { idleGuidance } from "../../core/index.js";
import { documentsIn } from "./documents-in.js";

/** Warnings about guidance on reading texts that has no effect here. */
export function guidanceWarnings(path: string, body: unknown, { hasModel }: { readonly hasModel: boolean }): string[] {
  const isForSettings = path === "/v3/settings";
  const stated = isForSettings ? [body] : documentsIn(body).map(contextOf);
  return [...new Set(stated.flatMap((part) => idleGuidance(Object(part) as object, { hasModel })))];
}

function contextOf(part: unknown): { readonly entityContext?: unknown; readonly filterByMetadata?: unknown } {
  const { entityContext, filterByMetadata } = Object(part) as { entityContext?: unknown; filterByMetadata?: unknown };
  return { entityContext, filterByMetadata };
}
