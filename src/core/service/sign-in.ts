import * as z from "zod";
import { hashPassword, isPassword, randomSecret, sha256 } from "../../lib/crypto.js";
import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { admit, authenticate } from "../auth.js";
import type { Admitted, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { customIdSchema, parseInput, textSchema } from "../input.js";
import type { Actor, SignIn, SignInWay } from "../types.js";

const MINUTE_MS = 60_000;
/** A link is for now. */
const CODE_MS = 10 * MINUTE_MS;
/** A browser that was not used for so long has to sign in again. */
const IDLE_MS = 30 * 24 * 60 * MINUTE_MS;
/** Use is noted at most so often, so that reading does not write. */
const PROLONG_EVERY_MS = MINUTE_MS;
/** Wrong keys, and wrong passwords, of one address. There is no limit for all together: anybody could lock the owner out by it. */
const ATTEMPTS = { requests: 10, windowMs: 15 * MINUTE_MS };
const LONGEST_CLIENT = 200;

/** Makes the secret of a link that signs in one browser within 10 minutes, once. */
export async function createSignInCode(
  { store, clock }: CoreContext,
  { actor }: Admitted,
): Promise<{ code: string; expiresAt: string }> {
  const code = randomSecret();
  const expiresAt = new Date(clock.now().getTime() + CODE_MS);
  await store.signIns.insertCode(actor.organizationId, sha256(code), expiresAt);
  return { code, expiresAt: iso(expiresAt) };
}

const signInSchema = z.object({
  /** Exactly one of these three. */
  code: z.string().max(200).optional(),
  key: z.string().max(1_000).optional(),
  password: z.string().max(1_000).optional(),
  /** Address of the browser; attempts are counted by it. */
  from: z.string().max(200).default("unknown"),
  /** What the browser says of itself. */
  client: z.string().optional(),
  /** Token of the sign-in that the browser had until now, which ends. */
  previous: z.string().max(200).optional(),
});
type SignInInput = z.output<typeof signInSchema>;

/** A browser that is signed in, and its token, which is told this once and kept only as a hash. */
export interface NewSignIn {
  readonly signIn: SignIn;
  readonly token: string;
}

/**
 * Signs the owner in with the code of a link, a key of the whole organisation, or the password. The sign-in that the
 * browser had before ends.
 * @throws AppError `unauthorized` in the same words for everything that is wrong, `forbidden` for a key that is limited,
 *   `rate_limited` after too many wrong ones
 */
export async function signIn(context: CoreContext, _call: Admitted, raw: unknown): Promise<NewSignIn> {
  const input = parseInput(signInSchema, raw);
  const { store, clock } = context;
  const { organizationId } = store;
  const how = await checkWay(context, input);
  const now = clock.now();
  const token = randomSecret();
  const made: SignIn = {
    id: createId(),
    organizationId,
    how,
    client: input.client?.slice(0, LONGEST_CLIENT) ?? null,
    createdAt: iso(now),
    lastUsedAt: iso(now),
    expiresAt: iso(new Date(now.getTime() + IDLE_MS)),
  };
  await store.transaction(async ({ signIns }) => {
    const before = input.previous === undefined ? null : await signIns.byHash(sha256(input.previous));
    if (before) await signIns.end(organizationId, before.id);
    await signIns.insert(made, sha256(token));
  });
  return { signIn: made, token };
}

async function checkWay(context: CoreContext, { code, key, password, from }: SignInInput): Promise<SignInWay> {
  const { store, clock } = context;
  const { organizationId } = store;
  if (code !== undefined) {
    if (await store.signIns.takeCode(organizationId, sha256(code), clock.now())) return "link";
    throw new AppError("unauthorized", "This link was used, or its time is over. `recollect login` makes a new one.");
  }
  const attempts = `${key === undefined ? "passwords" : "keys"} from ${from}`;
  countAttempt(context, attempts);
  if (key !== undefined) {
    admit(await authenticate(context, key.trim()), "owner");
    context.attempts.giveBack(attempts, ATTEMPTS);
    return "key";
  }
  const kept = await store.signIns.password(organizationId);
  // The same work without a password, so that nobody learns whether there is one.
  const isRight = await isPassword(password ?? "", kept ?? (await decoy()));
  if (kept !== null && isRight) {
    context.attempts.giveBack(attempts, ATTEMPTS);
    return "password";
  }
  throw new AppError("unauthorized", "This is not the password. `recollect login` makes a link that signs you in.");
}

let decoyHash: Promise<string> | undefined;

function decoy(): Promise<string> {
  return (decoyHash ??= hashPassword(randomSecret()));
}

/** Before it is known whether it is right, so that many at once are counted, too. */
function countAttempt({ attempts }: CoreContext, name: string): void {
  const { waitMs } = attempts.take(name, ATTEMPTS);
  if (waitMs === 0) return;
  const retryAfter = Math.ceil(waitMs / 1_000);
  const message = `Too many attempts to sign in. Try again in ${retryAfter} s, or use the link that \`recollect login\` prints.`;
  throw new AppError("rate_limited", message, { retryAfter });
}

const tokenSchema = z.object({ token: z.string().max(200) });

/**
 * Who a browser's token belongs to; prolongs the sign-in.
 * @throws AppError `unauthorized` when it is unknown, over or ended
 */
export async function checkSignIn(
  { store, clock, log }: CoreContext,
  _call: Admitted,
  raw: unknown,
): Promise<{ actor: Actor; signIn: SignIn }> {
  const { token } = parseInput(tokenSchema, raw);
  const found = await store.signIns.byHash(sha256(token));
  const now = clock.now();
  if (!found || found.expiresAt <= iso(now)) throw new AppError("unauthorized", "You are not signed in.");
  if (now.getTime() - Date.parse(found.lastUsedAt) > PROLONG_EVERY_MS)
    await store.signIns
      .prolong(found.id, now, new Date(now.getTime() + IDLE_MS))
      .catch((error: unknown) => log.warn("the use of a sign-in was not noted", { signIn: found.id, error }));
  const actor: Actor = { organizationId: found.organizationId, name: `sign-in:${found.id}`, containers: "all" };
  return { actor, signIn: found };
}

/** Ends a browser's sign-in; nothing happens when it is over already. */
export async function signOut({ store }: CoreContext, _call: Admitted, raw: unknown): Promise<{ ended: boolean }> {
  const { token } = parseInput(tokenSchema, raw);
  const found = await store.signIns.byHash(sha256(token));
  return { ended: found !== null && (await store.signIns.end(found.organizationId, found.id)) };
}

/** Browsers in which the owner is signed in. */
export async function listSignIns({ store, clock }: CoreContext, { actor }: Admitted): Promise<{ signIns: SignIn[] }> {
  const signIns = await store.signIns.list(actor.organizationId);
  return { signIns: signIns.filter(({ expiresAt }) => expiresAt > iso(clock.now())) };
}

/** Signs one browser out. @throws AppError `not_found` */
export async function endSignIn({ store }: CoreContext, { actor }: Admitted, raw: unknown): Promise<{ id: string }> {
  const { id } = parseInput(z.object({ id: customIdSchema }), raw);
  if (!(await store.signIns.end(actor.organizationId, id))) throw notFound("sign-in", id);
  return { id };
}

const SHORTEST_PASSWORD = 12;

const passwordSchema = z.object({
  /** Null takes the password away. */
  password: textSchema({ maxLength: 1_000 })
    .refine(
      (text) => Array.from(text).length >= SHORTEST_PASSWORD,
      `must have at least ${SHORTEST_PASSWORD} characters`,
    )
    .nullable(),
});

/** Sets the owner's password, or takes it away, and signs all browsers out. @returns how many were signed in */
export async function setPassword(
  { store }: CoreContext,
  { actor }: Admitted,
  raw: unknown,
): Promise<{ isSet: boolean; ended: number }> {
  const { password } = parseInput(passwordSchema, raw);
  const hash = password === null ? null : await hashPassword(password);
  const ended = await store.transaction(async ({ signIns }) => {
    await signIns.setPassword(actor.organizationId, hash);
    return signIns.endAll(actor.organizationId);
  });
  return { isSet: hash !== null, ended };
}

/** Whether a sign-in page should ask for a password. */
export async function hasPassword({ store }: CoreContext): Promise<{ isSet: boolean }> {
  return { isSet: (await store.signIns.password(store.organizationId)) !== null };
}
