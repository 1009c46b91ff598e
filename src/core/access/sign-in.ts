import * as z from "zod";
import { hashPassword, isPassword, randomSecret, sha256 } from "../../lib/crypto.js";
import { createId } from "../../lib/ids.js";
import { networkOf } from "../../lib/ip-address.js";
import { loadOnce } from "../../lib/load-once.js";
import { iso } from "../../lib/time.js";
import { admit, authenticate } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { customIdSchema, parseInput, textSchema } from "../input.js";
import { runOnce, runOnceWith } from "../operations.js";
import type { Repositories } from "../ports.js";
import type { Actor, SignIn, SignInWay } from "../types.js";
import { truncate } from "../../lib/truncate.js";

const MINUTE_MS = 60_000;
/** A link is for immediate use. */
const CODE_MS = 10 * MINUTE_MS;
/** A browser unused for this long has to sign in again. */
const IDLE_MS = 30 * 24 * 60 * MINUTE_MS;
/** Use is recorded at most this often, so that reading does not write. */
const PROLONG_EVERY_MS = MINUTE_MS;
/**
 * Limit for wrong keys and wrong passwords per address or network. There is no global limit: anybody could use it to lock the
 * owner out.
 */
const ATTEMPTS = { requests: 10, windowMs: 15 * MINUTE_MS };
const LONGEST_CLIENT = 200;

/** Creates the secret of a link that signs in one browser within 10 minutes, once. */
export async function createSignInCode(
  context: CoreContext,
  call: AuthorizedCall,
): Promise<{ code: string; expiresAt: string }> {
  const expiresAt = new Date(context.clock.now().getTime() + CODE_MS);
  return runOnceWith(context, call, { useCase: "createSignInCode", isSecret: true }, async ({ signIns }) => {
    const code = randomSecret();
    await signIns.insertCode(call.actor.organizationId, sha256(code), expiresAt);
    return { code, expiresAt: iso(expiresAt) };
  });
}

const signInSchema = z.object({
  /** Exactly one of these three. */
  code: z.string().max(200).optional(),
  key: z.string().max(1_000).optional(),
  password: z.string().max(1_000).optional(),
  /** Address of the browser; attempts are counted per address. */
  from: z.string().max(200).default("unknown"),
  /** What the browser says about itself. */
  client: z.string().optional(),
  /** Token of the browser's previous sign-in, which ends. */
  previous: z.string().max(200).optional(),
});
type SignInInput = z.output<typeof signInSchema>;

/** A signed-in browser with its token, which is revealed only this once and stored only as a hash. */
export interface NewSignIn {
  readonly signIn: SignIn;
  readonly token: string;
}

/**
 * Signs the owner in with the code of a link, a key of the whole organisation, or the password. The browser's previous sign-in
 * ends.
 * @throws AppError `unauthorized` with the same message for every mistake, `forbidden` for a restricted key, `rate_limited`
 * after too many wrong ones
 */
export async function signIn(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<NewSignIn> {
  const input = parseInput(signInSchema, raw);
  const { organizationId } = context.store;
  // Checking a password takes long and a code is single-use: the former is done before the transaction, the latter inside it.
  const how = input.code === undefined ? await checkSecret(context, input) : "link";
  const now = context.clock.now();
  return runOnceWith(context, call, { useCase: "signIn", isSecret: true }, async ({ signIns }) => {
    if (input.code !== undefined) await takeCode(signIns, organizationId, { code: input.code, now });
    const before = input.previous === undefined ? null : await signIns.byHash(sha256(input.previous));
    if (before) await signIns.end(organizationId, before.id);
    const token = randomSecret();
    const made: SignIn = {
      id: createId(),
      organizationId,
      how,
      client: input.client === undefined ? null : truncate(input.client, LONGEST_CLIENT),
      createdAt: iso(now),
      lastUsedAt: iso(now),
      expiresAt: iso(new Date(now.getTime() + IDLE_MS)),
    };
    await signIns.insert(made, sha256(token));
    return { signIn: made, token };
  });
}

async function takeCode(
  signIns: Repositories["signIns"],
  organizationId: string,
  { code, now }: { readonly code: string; readonly now: Date },
): Promise<void> {
  if (!(await signIns.takeCode(organizationId, sha256(code), now)))
    throw new AppError(
      "unauthorized",
      "This link was already used, or has expired. `recollect login` makes a new one.",
    );
}

async function checkSecret(context: CoreContext, { key, password, from }: SignInInput): Promise<SignInWay> {
  const { store } = context;
  const { organizationId } = store;
  const attempts = `${key === undefined ? "passwords" : "keys"} from ${networkOf(from)}`;
  await countAttempt(context, attempts);
  if (key !== undefined) {
    admit(await authenticate(context, key.trim()), "owner");
    await context.attempts.giveBack(attempts, ATTEMPTS);
    return "key";
  }
  const kept = await store.signIns.password(organizationId);
  // The same work is done without a password, so that nobody can tell whether there is one.
  const isRight = await isPassword(password ?? "", kept ?? (await decoy()));
  if (kept !== null && isRight) {
    await context.attempts.giveBack(attempts, ATTEMPTS);
    return "password";
  }
  throw new AppError("unauthorized", "The password is wrong. `recollect login` makes a link that signs you in.");
}

const decoy = loadOnce(() => hashPassword(randomSecret()));

/** Counted before the result is known, so that concurrent attempts count too. */
async function countAttempt({ attempts }: CoreContext, name: string): Promise<void> {
  const { waitMs } = await attempts.take(name, ATTEMPTS);
  if (waitMs === 0) return;
  const retryAfter = Math.ceil(waitMs / 1_000);
  const message = `Too many attempts to sign in. Try again in ${retryAfter} s, or use the link that \`recollect login\` prints.`;
  throw new AppError("rate_limited", message, { retryAfter });
}

const tokenSchema = z.object({ token: z.string().max(200) });

/**
 * The owner's sign-in for a browser's token; extends it.
 * @throws AppError `unauthorized` when it is unknown, expired or ended
 */
export async function checkSignIn(
  { store, clock, log }: CoreContext,
  _call: AuthorizedCall,
  raw: unknown,
): Promise<{ actor: Actor; signIn: SignIn }> {
  const { token } = parseInput(tokenSchema, raw);
  const found = await store.signIns.byHash(sha256(token));
  const now = clock.now();
  if (!found || found.expiresAt <= iso(now)) throw new AppError("unauthorized", "You are not signed in.");
  if (now.getTime() - Date.parse(found.lastUsedAt) > PROLONG_EVERY_MS)
    await store.signIns
      .prolong(found.id, now, new Date(now.getTime() + IDLE_MS))
      .catch((error: unknown) => log.warn("the use of a sign-in was not recorded", { signIn: found.id, error }));
  const actor: Actor = { organizationId: found.organizationId, name: `sign-in:${found.id}`, containers: "all" };
  return { actor, signIn: found };
}

/** Ends a browser's sign-in; does nothing if it has already ended. */
export async function signOut(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<{ ended: boolean }> {
  const { token } = parseInput(tokenSchema, raw);
  const isKept = ({ ended }: { ended: boolean }) => ended;
  return runOnceWith(context, call, { useCase: "signOut", isKept }, async ({ signIns }) => {
    const found = await signIns.byHash(sha256(token));
    return { ended: found !== null && (await signIns.end(found.organizationId, found.id)) };
  });
}

/** Browsers in which the owner is signed in. */
export async function listSignIns(
  { store, clock }: CoreContext,
  { actor }: AuthorizedCall,
): Promise<{ signIns: SignIn[] }> {
  const signIns = await store.signIns.list(actor.organizationId);
  return { signIns: signIns.filter(({ expiresAt }) => expiresAt > iso(clock.now())) };
}

/** Signs one browser out. @throws AppError `not_found` */
export async function endSignIn(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<{ id: string }> {
  const { id } = parseInput(z.object({ id: customIdSchema }), raw);
  return runOnce(context, call, "endSignIn", async ({ signIns }) => {
    if (!(await signIns.end(call.actor.organizationId, id))) throw notFound("sign-in", id);
    return { id };
  });
}

const SHORTEST_PASSWORD = 12;

const passwordSchema = z.object({
  /** Null removes the password. */
  password: textSchema({ maxLength: 1_000 })
    .refine(
      (text) => Array.from(text).length >= SHORTEST_PASSWORD,
      `must have at least ${SHORTEST_PASSWORD} characters`,
    )
    .nullable(),
});

/**
 * Sets or removes the owner's password, and signs all browsers out.
 * @returns how many were signed in
 */
export async function setPassword(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ isSet: boolean; ended: number }> {
  const { organizationId } = call.actor;
  const { password } = parseInput(passwordSchema, raw);
  const hash = password === null ? null : await hashPassword(password);
  return runOnce(context, call, "setPassword", async ({ signIns }) => {
    await signIns.setPassword(organizationId, hash);
    return { isSet: hash !== null, ended: await signIns.endAll(organizationId) };
  });
}

/** Whether a sign-in page should ask for a password. */
export async function hasPassword({ store }: CoreContext): Promise<{ isSet: boolean }> {
  return { isSet: (await store.signIns.password(store.organizationId)) !== null };
}
