import { type AppError, ServiceRefusal } from "../core/errors.js";
import type { ModelStep } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { iso } from "../lib/time.js";
import type { IngestContext } from "./context.js";

/** Delays in milliseconds before a step whose answer was unusable is retried; after as many failures it is given up. */
const WAITS = [60 * 60_000, 6 * 60 * 60_000, 24 * 60 * 60_000] as const;
/** Delay in seconds for a service that did not answer and does not say how long it is unavailable. */
const AWAY = 5 * 60;

/**
 * Records that the language model failed at a step of a document, and when to retry: as soon as its service answers, if
 * that refuses everything, which costs nothing; when it may be back, if it was unavailable; after one, six and 24
 * hours, if its answer was unusable; never, if it cannot do the step. A model with another mark starts anew.
 * @returns whether this model is to be asked again
 */
export async function noteModelFailure(
  { store, model, clock }: Pick<IngestContext, "store" | "model" | "clock">,
  { organizationId, id }: Pick<Document, "organizationId" | "id">,
  step: ModelStep,
  why: AppError,
): Promise<boolean> {
  if (!model) return false;
  const { mark } = model;
  const known = await store.modelFailures.ofDocuments(organizationId, [id]);
  const before = known.find((failure) => failure.step === step && failure.mark === mark)?.attempts ?? 0;
  const isAnswer = !(why instanceof ServiceRefusal) && why.kind !== "unavailable" && why.kind !== "unsupported";
  const wait = waitAfter(why, before);
  const now = clock.now();
  await store.modelFailures.note(organizationId, {
    documentId: id,
    step,
    reason: why.publicMessage,
    attempts: isAnswer ? before + 1 : before,
    mark,
    failedAt: iso(now),
    nextAt: wait === undefined ? null : iso(new Date(now.getTime() + wait)),
  });
  return wait !== undefined;
}

/** Milliseconds; undefined for never. */
function waitAfter(why: AppError, before: number): number | undefined {
  if (why instanceof ServiceRefusal) return 0;
  if (why.kind === "unsupported") return undefined;
  return why.kind === "unavailable" ? (why.retryAfter ?? AWAY) * 1_000 : WAITS[before];
}

/**
 * Records that the facts of a document read for the first time were related by rules, so that it is read again once the
 * model answers. If the model did not even find them, that is already recorded, and one reading does both.
 */
export async function noteRefusedRelations(
  context: Pick<IngestContext, "store" | "model" | "clock">,
  document: Pick<Document, "organizationId" | "id">,
  resolved: readonly { readonly refusal: AppError | null }[],
): Promise<void> {
  const refusal = resolved.find((one) => one.refusal !== null)?.refusal;
  if (!refusal) return;
  const known = await context.store.modelFailures.ofDocuments(document.organizationId, [document.id]);
  if (!known.some(({ step }) => step === "facts")) await noteModelFailure(context, document, "facts", refusal);
}
