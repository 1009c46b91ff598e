import { titleFromText } from "../core/documents/document-title.js";
import { findReading } from "../core/documents/known-text.js";
import { descriptionOf, hasMadeTitle } from "./describe.js";
import { guidanceFor } from "../core/documents/guidance.js";
import { isUnfetched } from "../core/documents/web-address.js";
import { judgeWishes, plainWishesOf, withoutUnwanted } from "../core/documents/plain-wishes.js";
import type { Document } from "../core/types.js";
import type { JobContext, Repositories } from "../core/ports.js";
import { summarise } from "../language/summary.js";
import type { IngestContext } from "./context.js";
import { commitStep, type StepPayload } from "./step.js";

/**
 * First step: title and summary of a document, by rules until a language model has read it. A document whose file still
 * has to be read returns here afterwards.
 */
export async function extractDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  await commitStep(context, job, payload, async (repositories, document) => {
    const reading = await findReading(repositories, document);
    const isUnread = reading !== null && reading.outcome === null;
    const pictures = await repositories.messagePictures.unread(document.organizationId, document.id);
    const showing = pictures.length > 0 ? "pictures" : null;
    const first = isUnfetched(document, reading) ? "fetch" : isUnread ? "read" : showing;
    if (first !== null) {
      await repositories.documents.update(document.organizationId, document.id, { status: "extracting" });
      return first;
    }
    const described = await descriptionOf(repositories, document);
    const title = described?.title ?? titleFromText(document);
    await repositories.documents.update(document.organizationId, document.id, {
      title: (await hasMadeTitle(repositories, document)) ? title : document.title,
      summary: described?.summary ?? (await summaryByRules(repositories, document)),
      status: "chunking",
    });
    return "chunk";
  });
}

/** Omits whatever must never be stored. */
async function summaryByRules(
  repositories: Pick<Repositories, "settings" | "containers">,
  document: Document,
): Promise<string | null> {
  const text = document.turns?.map((turn) => turn.text).join("\n") ?? document.content;
  const summary = summarise(text);
  const mayBeKept = summary && judgeWishes(plainWishesOf(await guidanceFor(repositories, document)));
  return mayBeKept ? summarise(withoutUnwanted(text, mayBeKept)) : summary;
}
