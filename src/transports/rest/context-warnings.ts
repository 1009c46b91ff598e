import { mayReplaceContext, maySetContext } from "../../core/index.js";
import type { Actor } from "../../core/types.js";
import { documentsIn } from "./documents-in.js";

const IGNORED =
  "a scoped key cannot set it, so the guidance of the container stays unchanged; everything else was stored";
const GIVES_WAY =
  "from this caller it is used only if the owner has written no guidance for the container; everything else was stored";

/** Warnings for a caller whose guidance is ignored, entirely or sometimes. */
export function contextWarnings(actor: Actor, body: unknown): string[] {
  if (mayReplaceContext(actor)) return [];
  return documentsIn(body).some(hasContext) ? [`entityContext: ${maySetContext(actor) ? GIVES_WAY : IGNORED}`] : [];
}

function hasContext(part: unknown): boolean {
  return typeof (Object(part) as { entityContext?: unknown }).entityContext === "string";
}
