import type { ExtractedContent } from "../core/documents/content-ports.js";
import { transcriptOf } from "../core/documents/conversations.js";
import { pictureTurn, shownIn, withPictureTurns } from "../core/documents/message-pictures.js";
import { pictureParagraph } from "../core/documents/picture-description.js";
import { AppError } from "../core/errors.js";
import type { JobContext, MessagePicture, Repositories } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { pictureKind } from "../lib/picture-kind.js";
import { iso } from "../lib/time.js";
import type { IngestContext } from "./context.js";
import { lookAt } from "./look.js";
import { noteModelFailure } from "./model-failures.js";
import { readingQueueOf } from "./reading-queue.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

/**
 * Time limit for reading the pictures of a conversation, in milliseconds; those left after it are not read. Time spent
 * waiting for other files does not count.
 */
const LONGEST_MS = 3 * 60_000;
const TOO_LATE: ReadPicture = {
  text: "",
  notes: ["A picture was not read, because the pictures before it took longer than three minutes."],
  isUndescribed: false,
};

/** How the note of a picture without a description ends. */
export const NO_DESCRIPTION = "A picture has no description";

/** The start of a picture that says nothing else. */
const NOTHING_BUT = /^Picture\.(?:\n+|$)/;

/**
 * Runs beside the first step: reads the pictures in the messages of a conversation, outside any transaction and one at
 * a time, and puts their text behind the messages that show them. One that cannot be read leaves a note, and the
 * conversation unchanged.
 */
export async function readMessagePictures(
  context: IngestContext,
  payload: StepPayload,
  job: JobContext,
): Promise<void> {
  const document = await loadCurrent(context, payload);
  const { store, clock } = context;
  const digests = document ? await store.messagePictures.unread(document.organizationId, document.id) : [];
  const began = clock.now().getTime();
  let waitedMs = 0;
  let isNoted = false;
  const ways: Ways = {
    signal: job.signal,
    onWaited: (ms) => (waitedMs += ms),
    // What the model does not accept ends that picture alone; all other failures of one run are recorded once.
    onUndescribed: async (why) => {
      if (!document || why.kind === "unsupported") return false;
      if (!isNoted) await noteUndescribed(context, document, why);
      isNoted = true;
      return true;
    },
  };
  for (const digest of digests) {
    if (!document) break;
    const isLate = clock.now().getTime() - began - waitedMs > LONGEST_MS;
    const read = isLate ? TOO_LATE : await readOne(context, document, digest, ways);
    await store.transaction(async (repositories) => {
      const current = await loadCurrent(context, payload, repositories);
      if (!current) return;
      await keepTurn(repositories, current, { digest, text: read.text });
      const note = read.notes.length === 0 ? null : read.notes.join(" ");
      const settled = { digest, readAt: iso(clock.now()), note, isUndescribed: read.isUndescribed };
      await repositories.messagePictures.settle(current.organizationId, current.id, settled);
    });
  }
  await commitStep(context, job, payload, () => Promise.resolve("extract"));
}

/** If others are already waiting, it waits for the same time; otherwise the count of failures starts anew. */
async function noteUndescribed(context: IngestContext, document: Document, why: AppError): Promise<void> {
  const { messagePictures, modelFailures } = context.store;
  if ((await messagePictures.undescribed(document.organizationId, document.id)).length > 0) return;
  await modelFailures.end(document.id, "picture");
  await noteModelFailure(context, document, "picture", why);
}

async function keepTurn(
  { documents }: Repositories,
  { organizationId, id, turns }: Document,
  { digest, text }: { readonly digest: string; readonly text: string },
): Promise<void> {
  const said = pictureTurn(digest, text);
  if (!turns || !said) return;
  const next = withPictureTurns(turns, [...turns, said]);
  await documents.update(organizationId, id, { turns: next, content: transcriptOf(next) });
}

interface ReadPicture {
  readonly text: string;
  readonly notes: readonly string[];
  /** The language model would not or could not describe it, and is to be asked again. */
  readonly isUndescribed: boolean;
}

interface Ways {
  readonly signal: AbortSignal;
  /** Called with the milliseconds that a picture waited for its turn. */
  readonly onWaited: (ms: number) => void;
  /** Called with the reason why the language model did not describe a picture; returns whether to ask again. */
  readonly onUndescribed: (why: AppError) => Promise<boolean>;
}

async function readOne(context: IngestContext, document: Document, digest: string, ways: Ways): Promise<ReadPicture> {
  const { signal } = ways;
  const { organizationId, id, turns } = document;
  const picture = await context.store.messagePictures.find(organizationId, id, digest);
  if (!picture || !shownIn(turns ?? []).has(digest)) return { text: "", notes: [], isUndescribed: false };
  const bytes = await noting("A picture could not be fetched", signal, () => pictureBytes(context, picture, signal));
  if (!bytes.value) return { text: "", notes: bytes.notes, isUndescribed: false };
  const found = bytes.value;
  const read = await noting("A picture could not be read", signal, () => extractText(context, document, found, ways));
  const seen = await noting(NO_DESCRIPTION, signal, () => lookAt(context, document, found, signal));
  const texts = [textOf(read.value), seen.value === null ? "" : pictureParagraph(seen.value)];
  return {
    text: texts.filter((text) => text !== "").join("\n"),
    notes: [...read.notes, ...(read.value?.notes ?? []), ...seen.notes],
    isUndescribed: seen.problem !== null && (await ways.onUndescribed(seen.problem)),
  };
}

function extractText(
  { extractor, clock }: IngestContext,
  document: Document,
  bytes: Uint8Array,
  { signal, onWaited }: Ways,
): Promise<ExtractedContent> {
  const file = { bytes, name: null, mimeType: null, charset: null, url: null };
  let asked = clock.now().getTime();
  const onTurn = (): void => {
    const now = clock.now().getTime();
    onWaited(now - asked);
    asked = now;
  };
  return extractor.extract(file, { queue: readingQueueOf(document), signal, onTurn });
}

/** Runs work that may fail because of the picture alone, which a note then reports. */
async function noting<T>(
  what: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<{ readonly value: T | null; readonly notes: readonly string[]; readonly problem: AppError | null }> {
  try {
    return { value: await work(), notes: [], problem: null };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { value: null, notes: [`${what}: ${error.publicMessage}`], problem: error };
  }
}

/** @throws AppError `invalid` if it is not a picture, and as the fetcher does */
export async function pictureBytes(
  { fetcher }: Pick<IngestContext, "fetcher">,
  { bytes, address }: MessagePicture,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const found = bytes ?? (await fetcher.fetch(address ?? "", signal)).bytes;
  if (pictureKind(found) === null) throw new AppError("invalid", "This is not a picture of a supported kind.");
  return found;
}

function textOf(content: ExtractedContent | null): string {
  const text = (content?.parts ?? []).map((part) => part.text).join("\n");
  return text.replace(NOTHING_BUT, "").trim();
}
