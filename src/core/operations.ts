import { seal, sha256, unseal } from "../lib/crypto.js";
import type { AuthorizedCall, Call, CoreContext } from "./context.js";
import { type NEEDS, type OnceUseCase, runsOnce } from "./access/authorization.js";
import type { Repositories } from "./ports.js";

/** A use case, or one of its batches. */
type OperationName = OnceUseCase | `${OnceUseCase}:${string | number}`;

interface Operation {
  readonly useCase: OperationName;
  /** The result contains a secret that is revealed only once: it is stored so that only the operation id opens it. */
  readonly isSecret?: boolean;
}

interface OnceOptions<T> extends Operation {
  /** False for results for which nothing was written, so that strangers cannot fill the store with them. */
  readonly isKept?: (result: T) => boolean;
}

/**
 * Runs a write in one transaction, once per operation id of this caller: the result is stored with the write, so a caller that
 * lost the answer may ask again and gets it. Results are JSON. `useCase` separates different calls that happen to have the same
 * id.
 */
export async function runOnce<T>(
  context: CoreContext,
  call: AuthorizedCall,
  useCase: OperationName,
  work: (repositories: Repositories) => Promise<T>,
): Promise<T> {
  return runOnceWith(context, call, { useCase }, work);
}

/** The same with options for the result. */
export async function runOnceWith<T>(
  { store }: CoreContext,
  call: AuthorizedCall,
  { useCase, isSecret = false, isKept = () => true }: OnceOptions<T>,
  work: (repositories: Repositories) => Promise<T>,
): Promise<T> {
  const { operationId, hearWrite } = call;
  let isRepeated = false;
  const result = await store.transaction(async (repositories) => {
    if (operationId === undefined) return work(repositories);
    const id = keptUnder(call, useCase, operationId);
    const known = await repositories.operations.find(id);
    isRepeated = known !== null;
    if (known !== null) return (isSecret ? open(known.result, operationId) : known.result) as T;
    const fresh = await work(repositories);
    if (isKept(fresh))
      await repositories.operations.save(id, isSecret ? seal(JSON.stringify(fresh), operationId) : fresh);
    return fresh;
  });
  hearWrite?.(isRepeated ? "repeated" : "done");
  return result;
}

/** The result of an earlier call; null when this is the first. For use cases that cover more than one write. */
export async function findDone<T>(
  { store }: CoreContext,
  call: AuthorizedCall,
  { useCase, isSecret = false }: Operation,
): Promise<{ readonly result: T } | null> {
  const { operationId } = call;
  if (operationId === undefined) return null;
  const known = await store.operations.find(keptUnder(call, useCase, operationId));
  return known && { result: (isSecret ? open(known.result, operationId) : known.result) as T };
}

/** Returns the answer already in progress, or starts it. */
type Join = <T>(useCase: keyof typeof NEEDS, call: Call, answer: () => Promise<T>) => Promise<T>;

/**
 * Makes a call that is repeated while the first is still being answered, because the connection broke, wait for the same
 * answer: nothing else may do the work of a use case between its writes.
 */
export function createJoin(): Join {
  const running = new Map<string, Promise<unknown>>();
  return async <T>(useCase: keyof typeof NEEDS, { actor, operationId }: Call, answer: () => Promise<T>): Promise<T> => {
    if (operationId === undefined || !runsOnce(useCase)) return answer();
    // Nobody may get the answer of somebody with more rights, so all of the actor is part of the key.
    const key = JSON.stringify([actor, useCase, operationId]);
    const known = running.get(key) as Promise<T> | undefined;
    if (known) return known;
    const made = answer().finally(() => running.delete(key));
    running.set(key, made);
    return made;
  };
}

/**
 * The key under which an operation is stored: a hash, so that the store does not contain the operation ids that open sealed
 * results.
 */
export function keptUnder({ actor }: Pick<Call, "actor">, useCase: string, operationId: string): string {
  return sha256(JSON.stringify([actor.organizationId, actor.name, useCase, operationId]));
}

function open(kept: unknown, operationId: string): unknown {
  return JSON.parse(unseal(String(kept), operationId));
}
