import { systemActor } from "../core/auth.js";
import { transcriptOf } from "../core/documents/conversations.js";
import { pictureTurn, shownIn, withPictureTurns } from "../core/documents/message-pictures.js";
import { pictureParagraph } from "../core/documents/picture-description.js";
import { reviseDocument } from "../core/documents/revise-document.js";
import { AppError, ServiceRefusal } from "../core/errors.js";
import type { JobContext, Repositories, UndescribedPicture } from "../core/ports.js";
import type { Document, Turn } from "../core/types.js";
import { iso } from "../lib/time.js";
import type { IngestContext } from "./context.js";
import { lookAt } from "./look.js";
import { pictureBytes, NO_DESCRIPTION } from "./message-pictures.js";
import { noteModelFailure } from "./model-failures.js";
import type { StepPayload } from "./step.js";

/** The outcome for a picture that is finished: it was described, or cannot be. */
interface Ended {
  readonly digest: string;
  readonly description: string | null;
  readonly note: string | null;
}

/** A picture that the language model did not describe, but may describe later. */
interface Refused extends Ended {
  readonly problem: AppError;
}

/**
 * Runs beside all steps: gets descriptions for the pictures of a conversation that were read without one because the
 * language model would not or could not describe them. Each is added to the text, beside the text of its picture.
 */
export async function lookAtMessagesAgain(
  context: IngestContext,
  payload: StepPayload,
  job: JobContext,
): Promise<void> {
  const { store, sight } = context;
  // Messages that arrive meanwhile do not change what a picture shows, so any revision will do.
  const find = ({ documents }: Pick<Repositories, "documents">) =>
    documents.byId(store.organizationId, payload.documentId);
  const document = sight ? await find(store) : null;
  const ended = document ? await describeAll(context, document, job.signal) : [];
  await store.transaction(async (repositories) => {
    const current = document && (await find(repositories));
    if (current) await endPictures(context, repositories, current, ended);
    await job.finish(repositories.jobs);
  });
  context.events.changed(payload.documentId);
  if (ended.some(({ description }) => description !== null)) context.wakeJobs();
}

/** Whether a conversation has pictures without a description that a language model may describe. */
export async function hasToDescribe(
  { sight }: Pick<IngestContext, "sight">,
  { messagePictures }: Pick<Repositories, "messagePictures">,
  { organizationId, id, turns }: Document,
): Promise<boolean> {
  return sight !== undefined && turns !== null && (await messagePictures.undescribed(organizationId, id)).length > 0;
}

async function describeAll(context: IngestContext, document: Document, signal: AbortSignal): Promise<Ended[]> {
  const { organizationId, id } = document;
  const ended: Ended[] = [];
  const refused: Refused[] = [];
  for (const picture of await context.store.messagePictures.undescribed(organizationId, id)) {
    const outcome = await describeOne(context, document, picture, signal);
    if (!("problem" in outcome)) ended.push(outcome);
    else {
      refused.push(outcome);
      // If the model is unavailable for one picture, it is for all.
      if (isAway(outcome)) break;
    }
  }
  // All failures of one run count once, and none counts while the model is unavailable.
  const why = refused.find(isAway) ?? refused[0];
  const isAskedAgain = why ? await noteModelFailure(context, document, "picture", why.problem) : false;
  return isAskedAgain ? ended : [...ended, ...refused];
}

function isAway({ problem }: Refused): boolean {
  return problem.kind === "unavailable" || problem instanceof ServiceRefusal;
}

async function describeOne(
  context: IngestContext,
  document: Document,
  { digest, note }: UndescribedPicture,
  signal: AbortSignal,
): Promise<Ended | Refused> {
  const before = note?.split(NO_DESCRIPTION)[0]?.trim();
  const rest = { digest, description: null, note: before === undefined || before === "" ? null : before };
  const picture = await context.store.messagePictures.find(document.organizationId, document.id, digest);
  if (!picture) return rest;
  let bytes: Uint8Array;
  try {
    bytes = await pictureBytes(context, picture, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    // A picture that was there before may be back later, but a permanent failure is not retried forever.
    const problem = new AppError("invalid", `The picture could not be fetched: ${error.publicMessage}`, {
      cause: error,
    });
    return { ...rest, note, problem };
  }
  try {
    return { ...rest, description: await lookAt(context, document, bytes, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    // What the model does not accept ends this picture alone.
    return error.kind === "unsupported" ? { ...rest, note } : { ...rest, note, problem: error };
  }
}

async function endPictures(
  { clock }: Pick<IngestContext, "clock">,
  repositories: Repositories,
  current: Document,
  ended: readonly Ended[],
): Promise<void> {
  const { organizationId, id, turns } = current;
  const { messagePictures, modelFailures } = repositories;
  for (const { digest, note } of ended)
    await messagePictures.settle(organizationId, id, { digest, note, readAt: iso(clock.now()) });
  if ((await messagePictures.undescribed(organizationId, id)).length === 0) await modelFailures.end(id, "picture");
  if (!turns) return;
  const shown = shownIn(turns);
  const described = ended.flatMap((one) => (shown.has(one.digest) ? (turnOf(turns, one) ?? []) : []));
  if (described.length === 0) return;
  const next = withPictureTurns(turns, [...turns, ...described]);
  await reviseDocument(repositories, systemActor(organizationId), current, {
    change: { turns: next, content: transcriptOf(next) },
    reads: "addition",
    action: "document.updated",
  });
}

/** What is known of a picture, with its description; null without one. */
function turnOf(turns: readonly Turn[], { digest, description }: Ended): Turn | null {
  if (description === null) return null;
  const paragraph = pictureParagraph(description);
  const read = turns.find(({ picture }) => picture === digest);
  return read ? { ...read, text: `${read.text}\n${paragraph}` } : pictureTurn(digest, paragraph);
}
