import type { ExtractedContent } from "../core/documents/content-ports.js";
import { guidanceFor } from "../core/documents/guidance.js";
import { hasPictureDescription, pictureParagraph, pictureParagraphOf } from "../core/documents/picture-description.js";
import { reviseDocument } from "../core/documents/revise-document.js";
import { systemActor } from "../core/auth.js";
import { AppError } from "../core/errors.js";
import type { JobContext, ModelPicture, ModelUse } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { type PictureKind, pictureKind } from "../lib/picture-kind.js";
import type { IngestContext } from "./context.js";
import { noteModelFailure } from "./model-failures.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

const IMAGE = "image";
/** Picture types that the model services accept. */
const SHOWN: ReadonlyMap<PictureKind | null, ModelPicture["mimeType"]> = new Map([
  ["png", "image/png"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
]);

const NOT_SHOWN = "A language model describes only PNG, JPEG, GIF and WebP pictures.";

/** A file that was read. */
interface Seen {
  readonly content: ExtractedContent;
  readonly load: () => Promise<Uint8Array | null>;
  /** True if the text of the document is what this same file gave before. */
  readonly isSameFile?: boolean;
}

/**
 * The content read from a file, with a language model's description if it is a picture. If the model fails, that is
 * recorded, and the rest of the content is kept. A picture that already has a description is not shown again when it is
 * reread.
 */
export async function withDescription(
  context: IngestContext,
  document: Document,
  { content, load, isSameFile = false }: Seen,
  signal: AbortSignal,
): Promise<ExtractedContent> {
  const known = isSameFile && content.type === IMAGE ? pictureParagraphOf(document.content) : null;
  if (known !== null) return withParagraph(content, known);
  const bytes = content.type === IMAGE && context.sight ? await load() : null;
  const kind = bytes && pictureKind(bytes);
  if (!bytes || kind === null) return content;
  if (!SHOWN.has(kind)) return { ...content, notes: [...content.notes, NOT_SHOWN] };
  const description = await describe(context, document, bytes, signal);
  return description === null ? content : withParagraph(content, pictureParagraph(description));
}

function withParagraph(content: ExtractedContent, text: string): ExtractedContent {
  const last = content.parts.at(-1)?.place ?? {};
  return { ...content, parts: [...content.parts, { text, place: last }] };
}

/**
 * Runs beside all steps: gets a description for a picture that was read without one because the language model would
 * not or could not describe it, and adds it to the text.
 */
export async function lookAtFileAgain(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const document = await loadCurrent(context, payload);
  const found = document && isToDescribe(context, document) ? await loadPicture(context, document, job.signal) : null;
  const bytes = found && SHOWN.has(pictureKind(found)) ? found : null;
  const description = document && bytes ? await describe(context, document, bytes, job.signal) : null;
  await commitStep(context, job, payload, async (repositories, current) => {
    if (bytes === null) await repositories.modelFailures.end(current.id, "picture");
    if (description === null) return null;
    await reviseDocument(repositories, systemActor(current.organizationId), current, {
      change: { content: `${current.content}\n\n${pictureParagraph(description)}` },
      reads: "addition",
      action: "document.updated",
    });
    return null;
  });
  if (description !== null) context.wakeJobs();
}

/** Whether a document is a picture without a description that a language model may describe. */
export function isToDescribe({ sight }: IngestContext, { type, content }: Pick<Document, "type" | "content">): boolean {
  return sight !== undefined && type === IMAGE && !hasPictureDescription(content);
}

/** Null when the model failed, which is then recorded. */
async function describe(
  context: IngestContext,
  document: Document,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const description = await lookAt(context, document, bytes, signal);
    await context.store.modelFailures.end(document.id, "picture");
    return description;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    context.log.warn("a picture has no description", { document: document.id, reason: error.message });
    await noteModelFailure(context, document, "picture", error);
    return null;
  }
}

/**
 * A language model's description of a picture of a document; null when no model may look, or it does not accept such
 * pictures.
 * @throws AppError as `Sight.look`
 */
export async function lookAt(
  { store, sight }: IngestContext,
  document: Document,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string | null> {
  const mimeType = SHOWN.get(pictureKind(bytes));
  if (!sight || !mimeType) return null;
  const { organizationId, id, revision } = document;
  const guidance = await guidanceFor(store, document);
  const onModelUse = (use: ModelUse) => store.extractions.note(organizationId, { ...use, documentId: id, revision });
  return sight.look({ mimeType, bytes }, { guidance, onModelUse }, signal);
}

/** The bytes of the picture; null when they are no longer available. */
async function loadPicture(
  { store, blobs, fetcher }: IngestContext,
  { organizationId, id, url }: Document,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const reading = await store.documents.reading(organizationId, id);
  if (!reading?.outcome) return null;
  const files = await store.files.ofDocument(organizationId, id);
  const file = files.find(({ key }) => key === reading.fileKey);
  if (file) return blobs.read(file.key, 0, file.bytes);
  if (url === null || url !== reading.fileKey) return null;
  try {
    return (await fetcher.fetch(url, signal)).bytes;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
