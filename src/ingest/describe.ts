import { outcomeOfText, readingOf } from "../core/documents/known-text.js";
import { guidanceFor } from "../core/documents/guidance.js";
import { isTitleFromText } from "../core/documents/document-title.js";
import { AppError, RetryLater } from "../core/errors.js";
import type { JobContext, JobDraft, LanguageModel, Repositories } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { sha256 } from "../lib/crypto.js";
import { safeCut } from "../lib/truncate.js";
import { checkDescription, type Description } from "./check-description.js";
import type { IngestContext } from "./context.js";
import { describeDocumentPrompt } from "./prompts/describe-document.js";
import { fenceOf } from "../lib/prompt-delimiter.js";
import { noteModelFailure } from "./model-failures.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

/** A text up to this length is its own title, and one up to that length its own summary. */
const SHORT_TITLE = 80;
const SHORT_TEXT = 280;
/** Characters of a document that are read at most, and how they are spread over a longer one. */
const MOST_READ = 8_000;
const HEAD = 3_200;
const FURTHER_PARTS = 4;
const MOST_TOKENS = 2_000;
/** Seconds, when a provider that is away does not say for how long. */
const PAUSE = 60;

/** What was made of a text stays for as long as the text and the prompt are the same. */
function textMarkOf({ content }: Pick<Document, "content">): string {
  return sha256(`${describeDocumentPrompt.version}\n${content}`);
}

/** What a model said of this very text; null when it was not asked, or of another text. */
export async function descriptionOf(
  { documents }: Pick<Repositories, "documents">,
  document: Pick<Document, "organizationId" | "id" | "content">,
): Promise<Description | null> {
  const kept = await documents.description(document.organizationId, document.id);
  return kept?.textMark === textMarkOf(document) ? kept : null;
}

/** True when the title of a document is nobody's choice: it has none, the text's first words, or what a model called it. */
export async function hasMadeTitle(
  repositories: Pick<Repositories, "documents">,
  document: Document,
): Promise<boolean> {
  const reading = await readingOf(repositories, document);
  // What a file calls itself may stand at its beginning, too.
  if (document.title !== null && document.title === outcomeOfText(reading)?.title) return false;
  if (isTitleFromText(document)) return true;
  const kept = await repositories.documents.description(document.organizationId, document.id);
  return kept !== null && kept.title === document.title;
}

/**
 * The job that asks a model for title and summary, for a document that can be found already; null when there is no model, or
 * nothing to ask: a short text says by itself what it is, and what was said of it once stays.
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
 * Beside the last step: what a language model calls a document and what it says of it, in place of what rules made of its
 * text. What its sender calls it stays; so does the rules' word where the model has none that can be used.
 * @throws RetryLater while the model is away
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

/** Null where the model did not do it, which is noted then. */
async function describe(
  context: IngestContext,
  model: LanguageModel,
  document: Document,
  signal: AbortSignal,
): Promise<Description | null> {
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
    log.warn("a document keeps the title and summary that rules gave it", { reason: error.message });
    await noteModelFailure(context, document, "description", error);
    return null;
  }
}

/** All of a short text; of a long one its beginning, its end, and parts at equal distances between them. */
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
