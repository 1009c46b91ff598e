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

/** What every part of a server asks of another one all the time, and nobody asked for. */
const NOT_AUDITED: ReadonlySet<UseCase> = new Set([
  "noteRequests",
  "saveOAuthRecord",
  "findOAuthRecord",
  "consumeOAuthRecord",
  "dropOAuthRecords",
  "oauthSecrets",
]);

/** These let somebody in or out, whom nobody knew before. */
const LETS_IN: ReadonlySet<UseCase> = new Set(["signIn", "signOut", "pollDevice"]);

/** Agents ask for work all the time. */
const COUNTED: ReadonlySet<UseCase> = new Set(["pendingExtractions"]);

/** Whoever calls these shows who they are by them. */
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
 * Does what was asked, and has the audit know of it: everything that writes or is for the owner, everything that lets
 * somebody in, and every refusal. What searches and reads is not kept here, but in the record of requests.
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
  // Whoever waits for a document asks again and again with the same operation id. Of what is grave, the first call may have
  // ended with its process before the audit heard of it.
  const isRepeated = writes.has("repeated") && !writes.has("done") && !isGrave(use.name);
  if (!isRepeated && isHeard(use.name) && isNews(use.name, answer)) await noteSuccess(context, use, answer);
  return answer;
}

/**
 * True for what is written before the answer is given, and once for an operation, whichever of its calls gets so far: what
 * administers, and what lets somebody in.
 */
function isGrave(name: UseCase): boolean {
  return LETS_IN.has(name) || (runsOnce(name) && ["owner", "named"].includes(needOf(name)));
}

/** Calls of which only the number is kept. */
function onlyLooks(name: UseCase): boolean {
  return COUNTED.has(name) || !runsOnce(name);
}

function isHeard(name: UseCase): boolean {
  if (NOT_AUDITED.has(name)) return false;
  return isGrave(name) || !["read", "nothing"].includes(needOf(name));
}

/** False for a call that changed nothing and is made again and again; whoever reads the audit would find mostly that. */
function isNews(name: UseCase, answer: unknown): boolean {
  const { secret, ended } = Object(answer) as { readonly secret?: unknown; readonly ended?: unknown };
  if (name === "listAudit") return false;
  if (name === "ensureFirstKey" || name === "pollDevice") return typeof secret === "string";
  return name !== "signOut" || ended === true;
}

async function noteFailure({ audit }: CoreContext, use: Use, error: unknown): Promise<void> {
  const outcome = error instanceof AppError ? error.kind : "internal";
  const isRefusal = REFUSALS.has(outcome);
  // A page asks with every visit who is there.
  if (use.name === "checkSignIn" || (!isRefusal && !isHeard(use.name))) return;
  const event = eventOf(use, outcome);
  if (isRefusal || onlyLooks(use.name)) return audit.count(event);
  audit.note(event);
  if (isGrave(use.name)) await audit.flush();
}

async function noteSuccess({ audit }: CoreContext, use: Use, answer: unknown): Promise<void> {
  if (onlyLooks(use.name)) return audit.count(eventOf(use, "ok", answer));
  const { name, call } = use;
  const grave = isGrave(name);
  const { operationId } = grave ? call : {};
  audit.note(eventOf(use, "ok", answer), operationId && idFrom(keptUnder(call, name, operationId)));
  if (grave) await audit.flush();
}

function eventOf({ name, call, input }: Use, outcome: AuditOutcome, answer?: unknown): AuditEvent {
  // Of somebody unknown no word is kept.
  const isUnknown = AUTHENTICATING.has(name);
  return {
    actor: isUnknown ? whoShowed(answer) : call.actor.name,
    action: name,
    outcome,
    ...namedSubjects(AUDIT_SUBJECTS[name], isUnknown ? undefined : input, answer),
    ...sourceOf(call, isUnknown ? input : undefined),
  };
}

function whoShowed(answer: unknown): string {
  const { signIn } = Object(answer) as { readonly signIn?: { readonly id?: unknown } };
  return typeof signIn?.id === "string" ? `sign-in:${signIn.id}` : "unknown";
}

/** Faces of other processes tell where calls came from: what they say is believed only as far as it can be true. */
function sourceOf({ from, actor }: Call, shown: unknown): Pick<AuditEvent, "face" | "address" | "client"> {
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
