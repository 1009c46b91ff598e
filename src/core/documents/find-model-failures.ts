import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import type { ModelFailure } from "../ports.js";

/** What a language model refused or failed to do for documents; nothing is retried while the model is left alone. */
export async function findModelFailures(
  { store, model }: Pick<CoreContext, "store" | "model">,
  organizationId: string,
  documentIds: readonly string[],
): Promise<ModelFailure[]> {
  const failures = await store.modelFailures.ofDocuments(organizationId, documentIds);
  const restsUntil = model?.standing?.().restsUntil ?? null;
  return restsUntil ? failures.map((failure) => notBefore(failure, iso(restsUntil))) : failures;
}

function notBefore(failure: ModelFailure, moment: string): ModelFailure {
  const { nextAt } = failure;
  return nextAt !== null && nextAt < moment ? { ...failure, nextAt: moment } : failure;
}
