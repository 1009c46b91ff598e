import * as z from "zod";
import type { DocumentHead } from "../../../core/types.js";

/** Notes about a document besides its content. */
export const documentWarnings = z.array(z.string());

/** Says how many facts of a document exceeded the limit; empty where none did. */
export function presentLeftOut({ factsLeftOut }: Pick<DocumentHead, "factsLeftOut">): { warnings?: string[] } {
  if (factsLeftOut === 0) return {};
  const what = factsLeftOut === 1 ? "1 fact was" : `${factsLeftOut} facts were`;
  const why = "the settings allow no more memories (maxMemoriesPerDocument, maxMemoriesPerContainer)";
  return { warnings: [`memories: ${what} left out, because ${why}`] };
}
