import type { Admitted, CoreContext } from "./context.js";
import type { StoreNouns } from "./ports.js";

/**
 * Runs a write in one transaction, once per operation id of this caller: the result is kept beside the write, so a
 * caller whose answer got lost may ask again and gets it. Results are JSON. `useCase` keeps different calls apart that
 * happen to have one id.
 */
export async function once<T>(
  { store }: CoreContext,
  { actor, operationId, hearWrite }: Admitted,
  useCase: string,
  work: (nouns: StoreNouns) => Promise<T>,
): Promise<T> {
  let isRepeated = false;
  const result = await store.transaction(async (nouns) => {
    if (operationId === undefined) return work(nouns);
    const key = JSON.stringify([actor.organizationId, actor.name, useCase, operationId]);
    const known = await nouns.operations.find(key);
    isRepeated = known !== null;
    if (known !== null) return known.result as T;
    const fresh = await work(nouns);
    await nouns.operations.save(key, fresh);
    return fresh;
  });
  hearWrite?.(isRepeated ? "repeated" : "done");
  return result;
}
