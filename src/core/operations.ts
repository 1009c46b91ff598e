import type { Call, CoreContext } from "./context.js";
import type { StoreNouns } from "./ports.js";

/**
 * Runs a write in one transaction, once per operation id: the result is kept beside the write, so a caller whose
 * answer got lost may ask again and gets it. Results are JSON.
 */
export async function once<T>(
  { store }: CoreContext,
  { operationId }: Call,
  work: (nouns: StoreNouns) => Promise<T>,
): Promise<T> {
  return store.transaction(async (nouns) => {
    if (operationId !== undefined) {
      const known = await nouns.operations.find(operationId);
      if (known !== null) return known.result as T;
    }
    const result = await work(nouns);
    if (operationId !== undefined) await nouns.operations.save(operationId, result);
    return result;
  });
}
