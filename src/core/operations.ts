import { seal, sha256, unseal } from "../lib/crypto.js";
import type { Admitted, CoreContext } from "./context.js";
import type { OnceUseCase } from "./needs.js";
import type { StoreNouns } from "./ports.js";

/** A use case, or one of the batches in which it works. */
type OperationName = OnceUseCase | `${OnceUseCase}:${string | number}`;

interface OnceOptions<T> {
  /** The result has a secret that nobody is told twice: it is kept so that only the operation id opens it. */
  readonly isSecret?: boolean;
  /** False for results that nothing was written for, so that strangers cannot fill the store with them. */
  readonly isKept?: (result: T) => boolean;
}

/**
 * Runs a write in one transaction, once per operation id of this caller: the result is kept beside the write, so a
 * caller whose answer got lost may ask again and gets it. Results are JSON. `useCase` keeps different calls apart that
 * happen to have one id.
 */
export async function once<T>(
  context: CoreContext,
  call: Admitted,
  useCase: OperationName,
  work: (nouns: StoreNouns) => Promise<T>,
): Promise<T> {
  return onceWith(context, call, { useCase }, work);
}

/** The same with more to say about the result. */
export async function onceWith<T>(
  { store }: CoreContext,
  call: Admitted,
  { useCase, isSecret = false, isKept = () => true }: OnceOptions<T> & { readonly useCase: OperationName },
  work: (nouns: StoreNouns) => Promise<T>,
): Promise<T> {
  const { operationId, hearWrite } = call;
  let isRepeated = false;
  const result = await store.transaction(async (nouns) => {
    if (operationId === undefined) return work(nouns);
    const id = keptUnder(call, useCase, operationId);
    const known = await nouns.operations.find(id);
    isRepeated = known !== null;
    if (known !== null) return (isSecret ? open(known.result, operationId) : known.result) as T;
    const fresh = await work(nouns);
    if (isKept(fresh)) await nouns.operations.save(id, isSecret ? seal(JSON.stringify(fresh), operationId) : fresh);
    return fresh;
  });
  hearWrite?.(isRepeated ? "repeated" : "done");
  return result;
}

/** The result of a call that was done before; null when this is the first. For use cases that do more than one write. */
export async function findDone<T>(
  { store }: CoreContext,
  call: Admitted,
  useCase: OperationName,
): Promise<{ readonly result: T } | null> {
  if (call.operationId === undefined) return null;
  return (await store.operations.find(keptUnder(call, useCase, call.operationId))) as { readonly result: T } | null;
}

/** A hash, so that the store does not have the operation ids that open sealed results. */
function keptUnder({ actor }: Admitted, useCase: OperationName, operationId: string): string {
  return sha256(JSON.stringify([actor.organizationId, actor.name, useCase, operationId]));
}

function open(kept: unknown, operationId: string): unknown {
  return JSON.parse(unseal(String(kept), operationId));
}
