import { addDocument } from "./add-document.js";
import { authenticate } from "./auth.js";
import type { Call, CoreContext } from "./context.js";
import { diagnose } from "./doctor.js";
import { deleteDocument, getDocument, listDocuments } from "./documents.js";
import { fetchById } from "./fetch.js";
import { createKey, ensureFirstKey, listKeys, revokeKey } from "./keys.js";
import { createMemories, forget } from "./memories.js";
import { getProfile } from "./profile.js";
import { searchMemories } from "./search.js";
import { getSession, getStatus } from "./status.js";

export type { Call } from "./context.js";
export { localActor } from "./auth.js";
export { clientSchema } from "./input.js";
export type { Check, Diagnosis } from "./doctor.js";
export { addDocumentSchema, DEFAULT_CONTAINER, type AddDocumentInput, type DocumentReceipt } from "./add-document.js";
export type { DocumentPage } from "./documents.js";
export type { Fetched } from "./fetch.js";
export type { CreatedKey } from "./keys.js";
export {
  createMemoriesSchema,
  forgetSchema,
  type CreatedMemories,
  type CreateMemoriesInput,
  type Forgotten,
  type ForgetInput,
} from "./memories.js";
export { profileSchema, type Profile, type ProfileInput } from "./profile.js";
export { searchSchema, type SearchAnswer, type SearchInput, type SearchResult } from "./search.js";
export type { Session, Status } from "./status.js";

/** Every use case by name. Inputs are checked inside, so a face may pass on what it was sent. */
const USE_CASES = {
  authenticate: (context: CoreContext, _call: Call, input: unknown) => authenticate(context, String(input)),
  addDocument,
  getDocument,
  deleteDocument,
  listDocuments,
  createMemories,
  forget,
  search: searchMemories,
  profile: getProfile,
  fetch: fetchById,
  session: getSession,
  status: getStatus,
  diagnose,
  createKey,
  listKeys,
  revokeKey,
  ensureFirstKey,
} as const;

export type UseCase = keyof typeof USE_CASES;

/** The service as faces see it. Every answer is JSON, so that it can be given from another process. */
export type Core = {
  readonly [Name in UseCase]: (call: Call, input?: unknown) => Promise<Awaited<ReturnType<(typeof USE_CASES)[Name]>>>;
};

/** Use cases that write, and therefore need an operation id to be repeated safely. */
export const WRITES: ReadonlySet<UseCase> = new Set(["addDocument", "deleteDocument", "createMemories", "forget"]);

export function isUseCase(name: string): name is UseCase {
  return Object.hasOwn(USE_CASES, name);
}

/** The service over its ports. */
export function createCore(context: CoreContext): Core {
  return coreOver((name, call, input) => USE_CASES[name](context, call, input));
}

/** Calls any use case, here or in another process. */
export type Caller = (name: UseCase, call: Call, input: unknown) => Promise<unknown>;

/** The service over anything that can call its use cases by name. */
export function coreOver(caller: Caller): Core {
  const entries = Object.keys(USE_CASES)
    .filter(isUseCase)
    .map((name) => [name, (call: Call, input?: unknown) => caller(name, call, input)] as const);
  return Object.fromEntries(entries) as unknown as Core;
}
