import { titleFromText } from "../core/documents/document-title.js";
import type { JobContext } from "../core/ports.js";
import { summarize } from "../lib/summary.js";
import type { IngestContext } from "./context.js";
import { commitStep, type StepPayload } from "./step.js";

/** First step: what a document is called, and what it says in short. Text needs nothing else; other kinds are turned into text here. */
export async function extractDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  await commitStep(context, job, payload, async (nouns, document) => {
    await nouns.documents.update(document.organizationId, document.id, {
      title: document.title ?? titleFromText(document),
      summary: summarize(document.turns?.map((turn) => turn.text).join("\n") ?? document.content),
      status: "chunking",
    });
    return "chunk";
  });
}
