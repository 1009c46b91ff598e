import { idFrom } from "../../lib/ids.js";
import { isIpAddress } from "../../lib/ip-address.js";
import type { Call, CoreContext, HearWrite } from "../context.js";
import { AppError } from "../errors.js";
import { needOf, type NEEDS, runsOnce } from "../access/authorization.js";
import { keptUnder } from "../operations.js";
import { AUDIT_SUBJECTS } from "./audit-subjects.js";
import type { AuditEvent } from "./audit-trail.js";
import { namedSubjects } from "./named-subjects.js";
import { type AuditOutcome, type CallSource, FACES } from "../types.js";
import { truncate } from "../../lib/truncate.js";

type UseCase = keyof typeof NEEDS;

/** Calls that the parts of a server make among themselves all the time, without a request. */
const NOT_AUDITED: ReadonlySet<UseCase> = new Set([
  "noteRequests",
  "saveOAuthRecord",
  "findOAuthRecord",
  "consumeOAuthRecord",
  "dropOAuthRecords",
  "oauthSecrets",
]);

/** These sign in or out an actor who was unknown before. */
const SIGNING_IN_OR_OUT: ReadonlySet<UseCase> = new Set(["signIn", "signOut", "pollDevice"]);

/** Only the number of these is recorded: agents ask for work all the time. */
const ONLY_COUNTED: ReadonlySet<UseCase> = new Set(["pendingExtractions"]);

/** Their input contains the caller's credentials. */
const AUTHENTICATING: ReadonlySet<UseCase> = new Set([
  "authenticate",
  "authenticateToken",
  "signIn",
  "checkSignIn",
  "signOut",
  "pollDevice",
]);

const REFUSALS: ReadonlySet<AuditOutcome> = new Set(["unauthorized", "forbidden", "rate_limited"]);

const LONGEST_CLIENT = 100;

interface Use {
  readonly name: UseCase;
  readonly call: Call;
  readonly input: unknown;
}

/**
 * Runs a use case and records it in the audit: everything that writes or is reserved for the owner, every sign-in, and every
 * refusal. Searches and reads are not recorded here but in the record of requests.
 */
export async function audited<T>(
  context: CoreContext,
  use: Use,
  run: (hearWrite: HearWrite) => Promise<T>,
): Promise<T> {
  let answer: T;
  const writes = new Set<Parameters<HearWrite>[0]>();
  try {
    answer = await run((what) => writes.add(what));
  } catch (error) {
    await noteFailure(context, use, error);
    throw error;
  }
  // A caller that waits for a document repeats its call with the same operation id. Critical calls are recorded each time,
  // under one id: the process may have died after the first one, before the audit was written.
  const isRepeated = writes.has("repeated") && !writes.has("done") && !isCritical(use.name);
  if (!isRepeated && isAudited(use.name) && isNews(use.name, answer)) await noteSuccess(context, use, answer);
  return answer;
}

/**
 * True for administration and sign-ins. Their entry is written before the call is answered, and once per operation, whichever
 * of its calls gets that far.
 */
function isCritical(name: UseCase): boolean {
  return SIGNING_IN_OR_OUT.has(name) || (runsOnce(name) && ["owner", "named"].includes(needOf(name)));
}

/** Calls that are counted per minute instead of having an entry each. */
function isOnlyCounted(name: UseCase): boolean {
  return ONLY_COUNTED.has(name) || !runsOnce(name);
}

function isAudited(name: UseCase): boolean {
  if (NOT_AUDITED.has(name)) return false;
  return isCritical(name) || !["read", "nothing"].includes(needOf(name));
}

/** False for a repeated call that changed nothing: otherwise the audit would consist of little else. */
function isNews(name: UseCase, answer: unknown): boolean {
  const { secret, ended } = Object(answer) as { readonly secret?: unknown; readonly ended?: unknown };
  if (name === "listAudit") return false;
  if (name === "ensureFirstKey" || name === "pollDevice") return typeof secret === "string";
  return name !== "signOut" || ended === true;
}

async function noteFailure({ audit }: CoreContext, use: Use, error: unknown): Promise<void> {
  const outcome = error instanceof AppError ? error.kind : "internal";
  const isRefusal = REFUSALS.has(outcome);
  // The web pages ask on every visit who is signed in.
  if (use.name === "checkSignIn" || (!isRefusal && !isAudited(use.name))) return;
  const event = eventOf(use, outcome);
  if (isRefusal || isOnlyCounted(use.name)) return audit.count(event);
  audit.note(event);
  if (isCritical(use.name)) await audit.flush();
}

async function noteSuccess({ audit }: CoreContext, use: Use, answer: unknown): Promise<void> {
  if (isOnlyCounted(use.name)) return audit.count(eventOf(use, "ok", answer));
  const { name, call } = use;
  const isWritten = isCritical(name);
  const { operationId } = isWritten ? call : {};
  audit.note(eventOf(use, "ok", answer), operationId && idFrom(keptUnder(call, name, operationId)));
  if (isWritten) await audit.flush();
}

function eventOf({ name, call, input }: Use, outcome: AuditOutcome, answer?: unknown): AuditEvent {
  // Nothing sent by an unknown caller is recorded.
  const isUnknown = AUTHENTICATING.has(name);
  return {
    actor: isUnknown ? signedInActor(answer) : call.actor.name,
    action: name,
    outcome,
    ...namedSubjects(AUDIT_SUBJECTS[name], isUnknown ? undefined : input, answer),
    ...auditedSource(call, isUnknown ? input : undefined),
  };
}

function signedInActor(answer: unknown): string {
  const { signIn } = Object(answer) as { readonly signIn?: { readonly id?: unknown } };
  return typeof signIn?.id === "string" ? `sign-in:${signIn.id}` : "unknown";
}

/** The process that received a call says where it came from; only plausible values are accepted. */
function auditedSource({ from, actor }: Call, shown: unknown): Pick<AuditEvent, "face" | "address" | "client"> {
  const told = Object(shown) as { readonly from?: unknown; readonly client?: unknown };
  const said: Partial<CallSource> = from ?? {};
  const address = [said.address, told.from].find((text) => typeof text === "string" && isIpAddress(text));
  const client = [said.client, told.client, actor.client].find((text) => typeof text === "string" && text !== "");
  return {
    face: FACES.find((face) => face === said.face) ?? null,
    address: typeof address === "string" ? address : null,
    client: typeof client === "string" ? oneLine(client) : null,
  };
}

function oneLine(text: string): string {
  return truncate(text, LONGEST_CLIENT)
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, " ")
    .trim();
}
