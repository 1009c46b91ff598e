import { outcomeOfText, findReading } from "../core/documents/known-text.js";
import { guidanceFor } from "../core/documents/guidance.js";
import { isTitleFromText } from "../core/documents/document-title.js";
import { AppError, RetryLater } from "../core/errors.js";
import type { JobContext, JobDraft, LanguageModel, Repositories } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { sha256 } from "../lib/crypto.js";
import { safeCut } from "../lib/truncate.js";
import { checkDescription, type CheckedDescription } from "./check-description.js";
import type { IngestContext } from "./context.js";
import { describeDocumentPrompt } from "./prompts/describe-document.js";
import { fenceOf } from "../lib/prompt-delimiter.js";
import { noteModelFailure } from "./model-failures.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

/** A text up to the first length is its own title, one up to the second its own summary. */
const SHORT_TITLE = 80;
const SHORT_TEXT = 280;
/** Maximum number of characters read of a document, and how they are spread over a longer one. */
const MOST_READ = 8_000;
const HEAD = 3_200;
const FURTHER_PARTS = 4;
const MOST_TOKENS = 2_000;
/** Seconds to wait when an unavailable provider gives no time itself. */
const PAUSE = 60;

/** A description is valid as long as the text and the prompt stay the same. */
function textMarkOf({ content }: Pick<Document, "content">): string {
  return sha256(`${describeDocumentPrompt.version}\n${content}`);
}

/** What a model said of exactly this text; null when it was not asked, or was asked about another text. */
export async function descriptionOf(
  { documents }: Pick<Repositories, "documents">,
  document: Pick<Document, "organizationId" | "id" | "content">,
): Promise<CheckedDescription | null> {
  const kept = await documents.description(document.organizationId, document.id);
  return kept?.textMark === textMarkOf(document) ? kept : null;
}

/** True when nobody chose the title of a document: it has none, the first words of its text, or one by a model. */
export async function hasMadeTitle(
  repositories: Pick<Repositories, "documents">,
  document: Document,
): Promise<boolean> {
  const reading = await findReading(repositories, document);
  // The title that a file gives itself may also be at its start.
  if (document.title !== null && document.title === outcomeOfText(reading)?.title) return false;
  if (isTitleFromText(document)) return true;
  const kept = await repositories.documents.description(document.organizationId, document.id);
  return kept !== null && kept.title === document.title;
}

/**
 * The job that asks a model for title and summary, for a document that can already be found; null when there is no
 * model or no need to ask: a short text describes itself, and a description is made only once.
 */
export async function describeJob(
  { model }: IngestContext,
  repositories: Pick<Repositories, "documents">,
  document: Document,
  group: string,
): Promise<JobDraft | null> {
  const { id, revision, content } = document;
  if (!model || content.length <= SHORT_TITLE) return null;
  if (content.length <= SHORT_TEXT && !(await hasMadeTitle(repositories, document))) return null;
  if (await descriptionOf(repositories, document)) return null;
  return { kind: "describe", payload: { documentId: id, revision }, group, key: `describe:${id}:${revision}` };
}

/**
 * Runs beside the last step: title and summary by a language model, in place of those made by rules. A title given by
 * the sender stays; so does the one made by rules when the model's is unusable.
 * @throws RetryLater while the model is unavailable
 */
export async function describeDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const document = await loadCurrent(context, payload);
  const described = document && context.model && (await describe(context, context.model, document, job.signal));
  await commitStep(context, job, payload, async (repositories, current) => {
    if (!described) return null;
    const { organizationId, id } = current;
    const isTitleMade = await hasMadeTitle(repositories, current);
    const { title, summary } = described;
    await repositories.documents.describe(organizationId, id, { textMark: textMarkOf(current), title, summary });
    await repositories.modelFailures.end(id, "description");
    const change = { ...(title !== null && isTitleMade && { title }), ...(summary !== null && { summary }) };
    if (Object.keys(change).length > 0) await repositories.documents.update(organizationId, id, change);
    return null;
  });
}

/** Null when the model failed, which is then recorded. */
async function describe(
  context: IngestContext,
  model: LanguageModel,
  document: Document,
  signal: AbortSignal,
): Promise<CheckedDescription | null> {
  const { store, log } = context;
  const { name, version, schema, messages } = describeDocumentPrompt;
  const { organizationId, id, revision, content } = document;
  const title = (await hasMadeTitle(store, document)) ? null : document.title;
  const guidance = await guidanceFor(store, document);
  const input = { parts: partsOf(content), length: content.length, fence: fenceOf(content), title, guidance };
  try {
    const subject = `${id} ${revision}`;
    const asked = messages(input);
    const request = { name, schema, messages: asked, effort: "fast", maxTokens: MOST_TOKENS, subject } as const;
    const { value, ...spent } = await model.generate(request, signal);
    const use = { ...spent, prompt: `${name}/${version}`, documentId: id, revision };
    await store.extractions.note(organizationId, use);
    return checkDescription(value, document);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    if (error.kind === "unavailable") throw new RetryLater(error.retryAfter ?? PAUSE, error.publicMessage);
    log.warn("a document keeps the title and summary made by rules", { reason: error.message });
    await noteModelFailure(context, document, "description", error);
    return null;
  }
}

/** All of a short text; of a long one, its beginning, its end, and parts at equal distances in between. */
function partsOf(content: string): string[] {
  if (content.length <= MOST_READ) return [content];
  const length = (MOST_READ - HEAD) / FURTHER_PARTS;
  const distance = (content.length - HEAD - length) / (FURTHER_PARTS - 1);
  const parts = [content.slice(0, safeCut(content, HEAD))];
  for (let part = 0; part < FURTHER_PARTS; part += 1) {
    const start = safeCut(content, Math.round(HEAD + distance * part));
    parts.push(content.slice(start, safeCut(content, start + length)));
  }
  return parts;
}
