import type { JobContext } from "../core/ports.js";
import { truncate } from "../lib/sentences.js";
import type { IngestContext } from "./context.js";
import { commitStep, type StepPayload } from "./step.js";

const TITLE_LENGTH = 80;

/** First step: what a document is called. Text needs nothing else; other kinds are turned into text here. */
export async function extractDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  await commitStep(context, job, payload, async (nouns, document) => {
    await nouns.documents.update(document.organizationId, document.id, {
      title: document.title ?? titleOf(document.content),
      status: "chunking",
    });
    return "chunk";
  });
}

/** The first heading or line that has words in it. */
export function titleOf(content: string): string | null {
  for (const line of content.slice(0, 4_000).split("\n")) {
    const text = line.replace(/^[\s#>*\-=[{"]+/u, "").trim();
    if (/\p{L}|\p{N}/u.test(text)) return truncate(text, TITLE_LENGTH);
  }
  return null;
}
