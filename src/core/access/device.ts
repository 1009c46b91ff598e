import { randomInt } from "node:crypto";
import * as z from "zod";
import { randomSecret, sha256 } from "../../lib/crypto.js";
import { networkOf } from "../../lib/ip-address.js";
import { iso } from "../../lib/time.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { clientSchema, noteSchema, parseInput } from "../input.js";
import { findDone, runOnce, runOnceWith } from "../operations.js";
import type { Repositories } from "../ports.js";
import type { ApprovedUse, Asker, DeviceRequest, DeviceState } from "../types.js";
import { createKeySchema, makeKey } from "./keys.js";
import { truncate } from "../../lib/truncate.js";

const EXPIRES_IN = 600;
const INTERVAL = 5;
/** Letters that are hard to mistake for each other and spell no words (RFC 8628 §6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LENGTH = 8;
const MOST_WAITING = 100;
/** Longest name of a key. */
const LONGEST_NAME = 200;
const MINUTE_MS = 60_000;
/** Limit for requests from one address or network, and for codes typed by one browser. */
const STARTS = { requests: 10, windowMs: 10 * MINUTE_MS };
const GUESSES = { requests: 20, windowMs: 15 * MINUTE_MS };

const words = noteSchema(500).optional();
const startSchema = z.object({
  client: clientSchema.optional(),
  hostname: words,
  os: words,
  cwd: words,
  /** Address of the machine; requests are counted per address. */
  from: z.string().max(200).default("unknown"),
});

export interface StartedDevice {
  /** The program's own secret. */
  readonly deviceCode: string;
  /** The code that the owner types, `XXXX-XXXX`. */
  readonly userCode: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Seconds to wait between two polls. */
  readonly interval: number;
}

/** Starts a request for a key from a program without a browser. @throws AppError `rate_limited` */
export async function startDevice(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<StartedDevice> {
  const { store, clock, attempts } = context;
  const { from, client = null, hostname = null, os = null, cwd = null } = parseInput(startSchema, raw);
  const { organizationId } = store;
  const operation = { useCase: "startDevice", isSecret: true } as const;
  // A repeated call is not counted again, so that even the last permitted request can get its codes again.
  const done = await findDone<StartedDevice>(context, call, operation);
  if (done) return done.result;
  const { waitMs } = await attempts.take(`device from ${networkOf(from)}`, STARTS);
  if (waitMs > 0) throw tooMany(waitMs);
  const now = clock.now();
  if ((await store.deviceRequests.countWaiting(organizationId, now)) >= MOST_WAITING) throw tooMany(MINUTE_MS);
  const request: DeviceRequest = {
    organizationId,
    asker: { client, hostname, os, cwd },
    state: "pending",
    approved: null,
    createdAt: iso(now),
    expiresAt: iso(new Date(now.getTime() + EXPIRES_IN * 1_000)),
    polledAt: null,
  };
  return runOnceWith(context, call, operation, (repositories) => insertRequest(repositories, request));
}

async function insertRequest(
  { deviceRequests }: Pick<Repositories, "deviceRequests">,
  request: DeviceRequest,
): Promise<StartedDevice> {
  const deviceCode = randomSecret();
  for (;;) {
    const userCode = newUserCode();
    if (await deviceRequests.insert(request, { device: sha256(deviceCode), user: sha256(userCode) }))
      return { deviceCode, userCode: asShown(userCode), expiresIn: EXPIRES_IN, interval: INTERVAL };
  }
}

function newUserCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

function asShown(userCode: string): string {
  return `${userCode.slice(0, CODE_LENGTH / 2)}-${userCode.slice(CODE_LENGTH / 2)}`;
}

function tooMany(waitMs: number): AppError {
  const retryAfter = Math.ceil(waitMs / 1_000);
  return new AppError(
    "rate_limited",
    `Too many devices are asking for a key, or too many codes were entered. Try again in ${retryAfter} s.`,
    {
      retryAfter,
    },
  );
}

const pollSchema = z.object({ deviceCode: z.string().max(200) });

/** The answer to a program that asks whether it was approved. The key is revealed once, and the request is then deleted. */
export type PolledDevice =
  | { readonly state: "pending" | "too_soon" | "declined" | "expired" }
  | { readonly state: "approved"; readonly id: string; readonly secret: string };

/** Answers the waiting program; creates its key if it was approved. */
export async function pollDevice(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<PolledDevice> {
  const { deviceCode } = parseInput(pollSchema, raw);
  const { organizationId } = context.store;
  const hash = sha256(deviceCode);
  const now = context.clock.now();
  // Anybody may poll without limit. Answers that are not stored come out the same again.
  const isKept = ({ state }: PolledDevice) => state !== "expired" && state !== "too_soon";
  return runOnceWith<PolledDevice>(
    context,
    call,
    { useCase: "pollDevice", isSecret: true, isKept },
    async (repositories) => {
      const request = await repositories.deviceRequests.byDevice(organizationId, hash);
      if (!request || request.expiresAt <= iso(now)) return { state: "expired" };
      if (request.approved !== null) {
        await repositories.deviceRequests.remove(organizationId, hash);
        const { key, secret } = await makeKey(
          repositories,
          { organizationId, now },
          keyOf(request.asker, request.approved),
        );
        return { state: "approved", id: key.id, secret };
      }
      if (request.state === "declined") {
        await repositories.deviceRequests.remove(organizationId, hash);
        return { state: "declined" };
      }
      await repositories.deviceRequests.notePoll(organizationId, hash, now);
      const isTooSoon =
        request.polledAt !== null && now.getTime() - Date.parse(request.polledAt) < INTERVAL * 1_000 - 500;
      return { state: isTooSoon ? "too_soon" : "pending" };
    },
  );
}

function keyOf({ client, hostname }: Asker, { grants, permission, expiresInDays }: ApprovedUse) {
  const name = `${client ?? "program"} on ${hostname ?? "another machine"}`;
  return {
    name: truncate(name, LONGEST_NAME),
    kind: client === null ? "agent" : "plugin",
    client: client ?? undefined,
    grants: grants ?? undefined,
    permission,
    expiresInDays: expiresInDays ?? undefined,
  };
}

const userCodeSchema = z.string().max(100);

/** Hash of a code as typed by a person: lower case, spaces and a hyphen make no difference. */
function hashOfUserCode(typed: string): string {
  return sha256(typed.toUpperCase().replace(/[^A-Z]/g, ""));
}

/**
 * The program that asks under a code.
 * @throws AppError `not_found` for a code that nobody is waiting with, `rate_limited` after too many
 */
export async function findDevice(
  { store, clock, attempts }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<{ asker: Asker; state: DeviceState }> {
  const { userCode } = parseInput(z.object({ userCode: userCodeSchema }), raw);
  const { waitMs } = await attempts.take(`user codes of ${actor.name}`, GUESSES);
  if (waitMs > 0) throw tooMany(waitMs);
  const request = await store.deviceRequests.byUser(actor.organizationId, hashOfUserCode(userCode));
  if (!request || request.expiresAt <= iso(clock.now())) throw unknownCode();
  await attempts.giveBack(`user codes of ${actor.name}`, GUESSES);
  return { asker: request.asker, state: request.state };
}

function unknownCode(): AppError {
  return new AppError(
    "not_found",
    "No device is waiting for this code. It may be mistyped, already answered, or older than 10 minutes.",
  );
}

const answerSchema = createKeySchema.pick({ grants: true, permission: true, expiresInDays: true }).extend({
  userCode: userCodeSchema,
  approve: z.boolean(),
});

/**
 * Approves the request under a code, or declines it.
 * @throws AppError `not_found` when nobody is waiting with it any more, `rate_limited` after too many
 */
export async function answerDevice(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ approved: boolean }> {
  const { clock, attempts } = context;
  const { actor } = call;
  const { userCode, approve, grants = null, permission, expiresInDays = null } = parseInput(answerSchema, raw);
  const { waitMs } = await attempts.take(`user codes of ${actor.name}`, GUESSES);
  if (waitMs > 0) throw tooMany(waitMs);
  const approved = approve ? { grants, permission, expiresInDays } : null;
  const answer = { approved, at: clock.now() };
  const answered = await runOnce(context, call, "answerDevice", async ({ deviceRequests }) => {
    if (!(await deviceRequests.answer(actor.organizationId, hashOfUserCode(userCode), answer))) throw unknownCode();
    return { approved: approve };
  });
  await attempts.giveBack(`user codes of ${actor.name}`, GUESSES);
  return answered;
}
