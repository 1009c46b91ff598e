import * as z from "zod";
import { randomSecret } from "../../lib/crypto.js";
import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { hashKey, requireAllContainers } from "../auth.js";
import type { Call, CoreContext } from "../context.js";
import { notFound } from "../errors.js";
import { clientSchema, customIdSchema, noteSchema, parseInput } from "../input.js";
import type { ApiKey } from "../types.js";

const createKeySchema = z.object({
  name: noteSchema(200).min(1, "must not be empty").default("key"),
  client: clientSchema.optional(),
});

/** A key and its text, which is shown this once and kept only as a hash. */
export interface CreatedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

export async function createKey({ store, clock }: CoreContext, call: Call, raw: unknown): Promise<CreatedKey> {
  requireAllContainers(call.actor);
  const { name, client } = parseInput(createKeySchema, raw);
  const { organizationId } = call.actor;
  return insertKey(store, {
    organizationId,
    name,
    client: client ?? null,
    secret: `sm_${organizationId}_${randomSecret()}`,
    now: clock.now(),
  });
}

async function insertKey(
  store: CoreContext["store"],
  { secret, now, ...of }: Pick<ApiKey, "organizationId" | "name" | "client"> & { secret: string; now: Date },
): Promise<CreatedKey> {
  const draft = { id: createId(), ...of, hint: secret.slice(-4), createdAt: iso(now) };
  await store.keys.insert(draft, hashKey(secret));
  return { key: { ...draft, lastUsedAt: null, revokedAt: null }, secret };
}

export async function listKeys({ store }: CoreContext, call: Call): Promise<{ keys: ApiKey[] }> {
  requireAllContainers(call.actor);
  return { keys: await store.keys.list(call.actor.organizationId) };
}

/** @throws AppError `not_found` when there is no such key, or it is revoked already */
export async function revokeKey({ store, clock }: CoreContext, call: Call, raw: unknown): Promise<{ id: string }> {
  requireAllContainers(call.actor);
  const { id } = parseInput(z.object({ id: customIdSchema }), raw);
  const wasActive = await store.keys.revoke(call.actor.organizationId, id, clock.now());
  if (!wasActive) throw notFound("key", id);
  return { id };
}

const firstKeySchema = z.object({ configured: z.string().optional() });

/**
 * Makes sure that there is a key: the configured one, or a random one on the very first start.
 * @returns the text of a key that was made now, so that it can be shown once; null when there was one
 */
export async function ensureFirstKey(
  { store, clock }: CoreContext,
  call: Call,
  raw: unknown,
): Promise<{ secret: string | null }> {
  requireAllContainers(call.actor);
  const { configured } = parseInput(firstKeySchema, raw);
  const { organizationId } = store;
  if (configured !== undefined && (await store.keys.byHash(hashKey(configured)))) return { secret: null };
  const hasKey = (await store.keys.list(organizationId)).some((key) => key.revokedAt === null);
  if (configured === undefined && hasKey) return { secret: null };
  const secret = configured ?? `sm_${organizationId}_${randomSecret()}`;
  const name = configured === undefined ? "first key" : "configured";
  await insertKey(store, { organizationId, name, client: null, secret, now: clock.now() });
  return { secret };
}
