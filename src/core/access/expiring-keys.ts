import { sha256 } from "../../lib/crypto.js";
import { oneLine } from "../../lib/one-line.js";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { OwnerMail } from "../ports.js";
import type { ApiKey } from "../types.js";

const DAY_MS = 86_400_000;
/** Days before expiry at which the owner is warned, most urgent first; 0 once it has happened. */
const STAGES = [0, 1, 3, 14] as const;
const EARLIEST_MS = 14 * DAY_MS;
/** A key that expired longer ago is no longer shown. */
const SHOWN_AFTER_MS = 14 * DAY_MS;
/** Most keys per mail; the others follow in the next one. */
const MOST_OF_A_MAIL = 100;

type Stage = (typeof STAGES)[number];

/** A key that expires soon, or has expired. */
export interface ExpiringKey {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly expiresAt: string;
  /** Whole days left, rounded up; 0 when it has expired. */
  readonly daysLeft: number;
}

interface Expiry {
  readonly key: ApiKey;
  readonly stage: Stage;
}

/** Keys whose owner should know by now that they expire, or that expired in the last 14 days; the first to expire first. */
export async function listExpiringKeys({ store, clock }: CoreContext): Promise<ExpiringKey[]> {
  const now = clock.now();
  const keys = await store.keys.expiringBefore(store.organizationId, latestExpiry(now));
  return keys
    .filter((key) => stageOf(key, now) !== null && leftOf(key, now) > -SHOWN_AFTER_MS)
    .map(({ id, name, hint, expiresAt, ...key }) => ({
      id,
      name,
      hint,
      expiresAt: expiresAt ?? "",
      daysLeft: Math.max(0, Math.ceil(leftOf({ ...key, expiresAt }, now) / DAY_MS)),
    }));
}

/**
 * Warns the owner about expiring keys 14, 3 and 1 days before and when they have expired: by mail, or in the log if there is no
 * mail server. A key created after one of these moments is included in the next check. Each warning is given once; of several
 * missed ones only the most urgent; and again later if the mail could not be sent. Concurrent runs are executed one after the
 * other.
 */
export function createExpiryWarnings(context: CoreContext): (signal?: AbortSignal) => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const said = { failure: "" };
  return (signal) => {
    const run = running.then(() => warn(context, said, signal));
    running = run.catch(() => undefined);
    return run;
  };
}

async function warn(context: CoreContext, said: { failure: string }, signal?: AbortSignal): Promise<void> {
  const news = await findNews(context);
  if (news.length === 0 || signal?.aborted) return;
  const { mailer, log } = context;
  if (!mailer) {
    for (const { key, stage } of news)
      log.warn(stage === 0 ? "a key has expired" : "a key expires soon", { key: key.id, expiresAt: key.expiresAt });
    return note(context, news);
  }
  try {
    await mailer.send(mailOf(news, context.clock.now()), signal);
  } catch (error) {
    // Logging the same message every half hour would be noise.
    const failure = error instanceof AppError ? error.message : String(error);
    if (failure !== said.failure)
      log.warn("a warning about expiring keys could not be mailed and is retried", { keys: idsOf(news), error });
    said.failure = failure;
    return;
  }
  said.failure = "";
  log.info("the owner was warned about expiring keys by mail", { keys: idsOf(news) });
  await note(context, news);
}

async function findNews({ store, clock }: CoreContext): Promise<Expiry[]> {
  const now = clock.now();
  const keys = await store.keys.expiringBefore(store.organizationId, latestExpiry(now));
  return keys
    .flatMap((key) => {
      const stage = stageOf(key, now);
      return stage !== null && (key.warnedAhead === null || stage < key.warnedAhead) ? [{ key, stage }] : [];
    })
    .slice(0, MOST_OF_A_MAIL);
}

async function note({ store }: CoreContext, news: readonly Expiry[]): Promise<void> {
  await store.transaction(async ({ keys }) => {
    for (const { key, stage } of news) await keys.noteWarning(key.organizationId, key.id, stage);
  });
}

/** The warning that applies now, whether the key was created before or after that stage began; null if none does. */
function stageOf(key: Pick<ApiKey, "expiresAt">, now: Date): Stage | null {
  const left = leftOf(key, now);
  return STAGES.find((days) => left <= days * DAY_MS) ?? null;
}

function leftOf({ expiresAt }: Pick<ApiKey, "expiresAt">, now: Date): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now.getTime();
}

/** One millisecond more: the store's limit is exclusive. */
function latestExpiry(now: Date): Date {
  return new Date(now.getTime() + EARLIEST_MS + 1);
}

function idsOf(news: readonly Expiry[]): string[] {
  return news.map(({ key }) => key.id);
}

// --------------------------------------------------------------------------------------------------------------- mail

function mailOf(news: readonly Expiry[], now: Date): OwnerMail {
  const [first] = news;
  const expired = news.filter(({ stage }) => stage === 0).length;
  const soon = news.length - expired;
  const counts = [expired > 0 && `${expired} expired`, soon > 0 && `${soon} ${soon === 1 ? "expires" : "expire"} soon`];
  const several = `${news.length} API keys: ${counts.filter((part) => part !== false).join(", ")}`;
  return {
    subject: `Recollect: ${first && news.length === 1 ? headline(first, now) : several}`,
    text: [
      ...news.flatMap((one) => [...describe(one, now), ""]),
      "Requests with an expired key are refused. To continue, create a new key, give it to the client, and revoke the old one:",
      "",
      ...commandsFor(news),
      "",
      "A key that is no longer needed may simply expire. To stop being warned about it, revoke it.",
      "",
    ].join("\n"),
    id: sha256(news.map(({ key, stage }) => `${key.id} ${stage}`).join("\n")).slice(0, 32),
  };
}

function headline({ key, stage }: Expiry, now: Date): string {
  const name = `API key "${oneLine(key.name)}"`;
  if (stage === 0) return `${name} has expired`;
  const days = Math.ceil(leftOf(key, now) / DAY_MS);
  return `${name} expires in ${days === 1 ? "1 day" : `${days} days`}`;
}

function describe({ key, stage }: Expiry, now: Date): string[] {
  const { id, hint, client, grants, permission, expiresAt, lastUsedAt } = key;
  const reach =
    grants === null ? "all" : grants.map((grant) => `${grant.containerTag} (${grant.permission})`).join(", ");
  return [
    `${headline({ key, stage }, now)}.`,
    `  id:          ${id} (ends in ${hint})`,
    ...(client === null ? [] : [`  client:      ${client}`]),
    `  containers:  ${reach}${grants === null && permission === "read" ? " (read)" : ""}`,
    `  ${stage === 0 ? "expired:    " : "expires:    "} ${readable(expiresAt)}`,
    `  last used:   ${lastUsedAt === null ? "never" : readable(lastUsedAt)}`,
  ];
}

function commandsFor(news: readonly Expiry[]): string[] {
  const [only, ...others] = news;
  if (!only || others.length > 0)
    return ["  recollect keys create --name <name> --expires <days>", "  recollect keys revoke <id>"];
  const { grants, permission, client, id } = only.key;
  const containers = grants?.map((grant) => grant.containerTag + (grant.permission === "read" ? ":read" : ""));
  const options = [
    "--name <name>",
    client !== null && `--client ${client}`,
    containers && `--container ${containers.join(" ")}`,
    !containers && permission === "read" && "--read-only",
    "--expires <days>",
  ].filter((part) => typeof part === "string");
  return [`  recollect keys create ${options.join(" ")}`, `  recollect keys revoke ${id}`];
}

function readable(moment: string | null): string {
  return moment === null ? "never" : `${iso(new Date(moment)).slice(0, 16).replace("T", " ")} UTC`;
}
