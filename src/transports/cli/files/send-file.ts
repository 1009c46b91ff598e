import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { Readable } from "node:stream";
import type { AddDocumentInput, ExplainedReceipt, ReadingStatus } from "../../../core/index.js";
import { AppError } from "../../../core/errors.js";
import { isFileError } from "../../../lib/file-identity.js";
import { beginsWithFrontMatter } from "../../../lib/front-matter.js";
import { isMailText, MAIL_HEAD_LENGTH } from "../../../lib/mail-text.js";
import { withContainedFile, type OpenedFile } from "../../../lib/read-contained-file.js";
import { decodeText, utf16Of } from "../../../lib/text-bytes.js";
import type { Access } from "../cli.js";
import { readFailure, readTextFrom } from "../read-text.js";
import { isThrough, waitUntilRead, waitUntilUnderstood } from "../wait.js";

/** What is sent of a file: its text, or the file itself for the service to read. */
type FileContent =
  | { readonly text: string }
  | {
      readonly bytes: Uint8Array;
      /** Why it is not text; null for a file whose name says otherwise. */
      readonly noText: AppError | null;
    };

type NamedBytes = Extract<FileContent, { bytes: Uint8Array }> & { readonly name?: string };

/** A file, and what is said about its document. */
export interface FileToSend {
  readonly path: string;
  /** The real path of the folder in which it was found; null for a file named explicitly, which may be a link or a pipe. */
  readonly root: string | null;
  /** The subtitle file beside a recording or video, which is sent in its place. */
  readonly subtitles?: string;
  /** Opens it if it is encrypted. */
  readonly password?: string;
  readonly document: Omit<AddDocumentInput, "content">;
  /** The facts of the document, where they depend on its text. */
  readonly factsOf?: (text: string | null) => Pick<AddDocumentInput, "facts">;
  readonly waits: boolean;
}

/** Returns the latest state of a document that was sent; waits until it is processed, if that was asked for. */
export type AwaitReceipt = (onState: (state: string) => void) => Promise<ExplainedReceipt>;

/**
 * Sends a file as the document of its path: plain text as text, every other kind, and mails of any name, as they are. Of a
 * recording with subtitles beside it only those are sent: nothing needs transcribing then, and a film may be larger than the
 * limit.
 * @returns null for an empty file
 * @throws AppError `not_found`, `unavailable` or `too_large` for a file that cannot be taken, `unsupported_type` for folders and
 *   for kinds that are not read, each naming the file, and what the core throws
 */
export async function sendFile(access: Access, reading: ReadingStatus, file: FileToSend): Promise<AwaitReceipt | null> {
  const subtitles = await readSubtitles(file, reading);
  if (subtitles) return sendBytes(access, withTitle(file), subtitles);
  const content = await readContent(file, reading);
  if ("text" in content ? content.text.trim() === "" : content.bytes.byteLength === 0) return null;
  return "text" in content ? sendText(access, file, content.text) : sendBytes(access, file, content);
}

/** A subtitle file without a single cue is ignored, and the recording itself is sent. */
async function readSubtitles(file: FileToSend, reading: ReadingStatus): Promise<NamedBytes | null> {
  const { subtitles: path } = file;
  if (path === undefined) return null;
  const content = await readContent({ ...file, path }, reading);
  if (!("bytes" in content)) return null;
  const { bytes } = content;
  const text = utf16Of(bytes) ? decodeText(bytes) : Buffer.from(bytes).toString("latin1");
  return text?.includes("-->") ? { ...content, name: basename(path) } : null;
}

/** A document read from subtitles gets the title of the recording. */
function withTitle(file: FileToSend): FileToSend {
  return { ...file, document: { ...file.document, title: file.document.title ?? basename(file.path) } };
}

async function sendText({ core, newWrite }: Access, file: FileToSend, content: string): Promise<AwaitReceipt> {
  const title = file.document.title ?? basename(file.path);
  const input = { ...file.document, ...file.factsOf?.(content), title, content };
  const call = newWrite();
  const receipt = await core.addDocument(call, input);
  if (!file.waits || isThrough(receipt)) return () => Promise.resolve(receipt);
  return (onState) => waitUntilUnderstood(core, call, input, onState);
}

async function sendBytes(
  { core, newWrite, read, uploads }: Access,
  { path, document, factsOf, waits, password }: FileToSend,
  { bytes, noText, name = basename(path) }: NamedBytes,
): Promise<AwaitReceipt> {
  const upload = await uploads.receive(Readable.from([bytes]));
  const sent = await core
    .addFile(newWrite(), {
      upload,
      name,
      ...(password !== undefined && { password }),
      document: { ...document, ...factsOf?.(null) },
    })
    .catch((error: unknown) => {
      throw error instanceof AppError && error.kind === "unsupported_type" && noText ? noText : error;
    })
    .finally(() => uploads.remove(upload.key));
  if (!waits || isThrough(sent)) return () => Promise.resolve(sent);
  return (onState) => waitUntilRead({ core, read }, sent, onState);
}

/** Where a file's bytes are read from. */
type Source = Pick<OpenedFile, "size" | "read" | "stream">;

async function readContent({ path, root }: FileToSend, reading: ReadingStatus): Promise<FileContent> {
  if (root === null) return contentOf(path, await namedSource(path), reading);
  const content = await withContainedFile(path, root, (file) => contentOf(path, file, reading)).catch(
    (error: unknown) => {
      throw isFileError(error) ? readFailure(path, error) : error;
    },
  );
  if (content === null) throw new AppError("not_found", `There is no file ${path}.`);
  return content;
}

async function namedSource(path: string): Promise<Source> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw readFailure(path, error);
  });
  if (found.isDirectory())
    throw new AppError(
      "unsupported_type",
      `${path} is a folder. Add its files one by one, or add --text if these are words to remember.`,
    );
  return { size: found.size, read: () => readFile(path), stream: () => createReadStream(path) };
}

/** Markdown with front matter is read as a file. */
function isPlainMarkdown(path: string, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 100)).toString("utf8");
  return /\.(?:md|mdx|markdown)$/i.test(path) && !beginsWithFrontMatter(start.trimStart());
}

async function contentOf(path: string, file: Source, { endings, maxFileBytes }: ReadingStatus): Promise<FileContent> {
  const isKnown = endings.includes(extname(path).slice(1).toLowerCase());
  if (file.size > maxFileBytes) {
    if (!isKnown) return { text: await readTextFrom(file.stream(), path) };
    throw new AppError(
      "too_large",
      `${path} has ${file.size} bytes; at most ${maxFileBytes} are accepted (RECOLLECT_MAX_FILE_BYTES).`,
    );
  }
  const bytes = await file.read().catch((error: NodeJS.ErrnoException) => {
    throw readFailure(path, error);
  });
  if (isKnown && !isPlainMarkdown(path, bytes)) return { bytes, noText: null };
  const wide = utf16Of(bytes) ? decodeText(bytes) : null;
  if (wide !== null) return { text: wide };
  try {
    const text = await readTextFrom(Readable.from([bytes]), path);
    // As text it would count as the user's own words, which somebody else's mail is not.
    return isMailText(text.slice(0, MAIL_HEAD_LENGTH).trimStart()) ? { bytes, noText: null } : { text };
  } catch (error) {
    if (error instanceof AppError && error.kind === "unsupported_type") return { bytes, noText: error };
    throw error;
  }
}
