import { type AppError, ServiceRefusal } from "../core/errors.js";
import type { ModelStep } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { iso } from "../lib/time.js";
import type { IngestContext } from "./context.js";

/** After how long a step is tried again whose answer could not be used, in milliseconds; after as many failures it is not. */
const WAITS = [60 * 60_000, 6 * 60 * 60_000, 24 * 60 * 60_000] as const;
/** After how long one that the service did not answer, in seconds, where it does not say for how long it is away. */
const AWAY = 5 * 60;

/**
 * Notes that the language model did not do a step of a document, and when it is tried again: where its service refuses
 * everything, which costs nothing, as soon as it answers; where it was away, when it may be back; where its answer could not be
 * used, an hour, six hours and a day later; where it cannot do it, not at all. A model with another mark begins anew.
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
 * Notes of a document that was read for the first time that its facts were related by rules, so that it is read again once the
 * model answers. Where the model did not even find them, that is noted already, and the one reading does both.
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
