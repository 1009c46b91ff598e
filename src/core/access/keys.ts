import * as z from "zod";
import { randomSecret } from "../../lib/crypto.js";
import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { hashKey, opens, requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { clientSchema, containerTagSchema, customIdSchema, noteSchema, parseInput } from "../input.js";
import { findDone, runOnce, runOnceWith } from "../operations.js";
import type { NewKey, Repositories } from "../ports.js";
import { type ApiKey, type Grant, KEY_KINDS, PERMISSIONS } from "../types.js";

const DAY_MS = 86_400_000;
const MOST_CONTAINERS = 100;
/** Limits of contract 6.6. */
const whole = (max: number) =>
  z
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(max, `must be at most ${max.toLocaleString("en")}`);

export const keyNameSchema = noteSchema(200).min(1, "must not be empty");
export const permissionSchema = z.enum(PERMISSIONS, "must be read or write");
export const expiresInDaysSchema = whole(365);
export const rateSchema = z.object({ requests: whole(10_000), windowMs: whole(3_600_000) });

export const createKeySchema = z.object({
  name: keyNameSchema.default("key"),
  kind: z.enum(KEY_KINDS).default("organization"),
  client: clientSchema.optional(),
  /** The only containers of the key; all if omitted. */
  grants: z
    .array(z.object({ containerTag: containerTagSchema, permission: permissionSchema.default("write") }))
    .min(1, "must name at least 1 container")
    .max(MOST_CONTAINERS, `must name at most ${MOST_CONTAINERS} containers`)
    .optional(),
  /** `read` makes a read-only key, whatever its grants say. */
  permission: permissionSchema.default("write"),
  expiresInDays: expiresInDaysSchema.optional(),
  rate: rateSchema.optional(),
});

/** A key and its secret, which is shown only this once and stored only as a hash. */
export interface CreatedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** Creates a key. @throws AppError `forbidden` unless the caller may use everything of the organisation */
export async function createKey(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<CreatedKey> {
  const of = { organizationId: call.actor.organizationId, now: context.clock.now() };
  return runOnceWith(context, call, { useCase: "createKey", isSecret: true }, (repositories) =>
    makeKey(repositories, of, raw),
  );
}

/** The same within a transaction, for an owner who has already consented. */
export async function makeKey(
  repositories: KeyNouns,
  { organizationId, now }: { readonly organizationId: string; readonly now: Date },
  raw: unknown,
): Promise<CreatedKey> {
  const { expiresInDays, grants, permission, ...input } = parseInput(createKeySchema, raw);
  return insertKey(repositories, {
    ...input,
    organizationId,
    client: input.client ?? null,
    grants: grants ? strictest(grants, permission) : null,
    permission,
    rate: input.rate ?? null,
    expiresAt: expiresInDays === undefined ? null : iso(new Date(now.getTime() + expiresInDays * DAY_MS)),
    createdAt: iso(now),
    secret: newSecret(organizationId),
  });
}

/** One grant per container; if two name the same, the stricter one. */
function strictest(grants: readonly Grant[], permission: Grant["permission"]): Grant[] {
  const byTag = new Map<string, Grant>();
  for (const { containerTag, ...grant } of grants) {
    const isRead = [permission, grant.permission, byTag.get(containerTag)?.permission].includes("read");
    byTag.set(containerTag, { containerTag, permission: isRead ? "read" : "write" });
  }
  return [...byTag.values()];
}

function newSecret(organizationId: string): string {
  return `sm_${organizationId}_${randomSecret()}`;
}

type KeyNouns = Pick<Repositories, "keys">;

async function insertKey(
  store: KeyNouns,
  { secret, ...of }: Omit<NewKey, "id" | "hint"> & { secret: string },
): Promise<CreatedKey> {
  const draft = { id: createId(), ...of, hint: secret.slice(-4) };
  await store.keys.insert(draft, hashKey(secret));
  return { key: { ...draft, lastUsedAt: null, disabledAt: null, revokedAt: null }, secret };
}

/** A key, and whether it is valid now. */
export interface ListedKey extends ApiKey {
  readonly isOpen: boolean;
}

/** All keys, including revoked ones, oldest first; never their secrets. */
export async function listKeys({ store, clock }: CoreContext, call: AuthorizedCall): Promise<{ keys: ListedKey[] }> {
  const keys = await store.keys.list(call.actor.organizationId);
  return { keys: keys.map((key) => ({ ...key, isOpen: opens(key, clock.now()) })) };
}

const byIdSchema = z.object({ id: customIdSchema });

/** Permanently revokes a key. @throws AppError `not_found` when there is no such key, or it is already revoked */
export async function revokeKey(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<{ id: string }> {
  const { id } = parseInput(byIdSchema, raw);
  return runOnce(context, call, "revokeKey", async ({ keys }) => {
    const wasThere = await keys.revoke(call.actor.organizationId, id, context.clock.now());
    if (!wasThere) throw notFound("key", id);
    return { id };
  });
}

/**
 * Disables a key, or enables it again.
 * @throws AppError `not_found` when there is no such key, or it is revoked; `conflict` for the key making the call
 */
export async function toggleKey(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ id: string; enabled: boolean }> {
  const { actor } = call;
  const { id } = parseInput(byIdSchema, raw);
  return runOnce(context, call, "toggleKey", async ({ keys }) => {
    const key = await keys.byId(actor.organizationId, id);
    if (!key || key.revokedAt !== null) throw notFound("key", id);
    if (actor.name === `key:${id}`)
      throw new AppError(
        "conflict",
        "A key cannot disable itself, because it could then not be enabled again. Use another key.",
      );
    await keys.disable(actor.organizationId, id, key.disabledAt === null ? context.clock.now() : null);
    return { id, enabled: key.disabledAt !== null };
  });
}

const firstKeySchema = z.object({ configured: z.string().optional() });

/**
 * Ensures that there is a key for the whole organisation: the configured one, or a random one on the very first start.
 * @returns the secret of a newly created key, so that it can be shown once; null when one existed or was configured
 */
export async function ensureFirstKey(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ secret: string | null }> {
  requireAllContainers(call.actor);
  const { configured } = parseInput(firstKeySchema, raw);
  const { organizationId } = context.store;
  const now = context.clock.now();
  const operation = { useCase: "ensureFirstKey", isSecret: true } as const;
  const isThere = async ({ keys }: Pick<Repositories, "keys">): Promise<boolean> => {
    if (configured !== undefined) return (await keys.byHash(hashKey(configured))) !== null;
    const all = await keys.list(organizationId);
    return all.some((key) => key.grants === null && key.permission === "write" && opens(key, now));
  };
  // Writes only if a key has to be created: a service must start even while the disk is full.
  const done = await findDone<{ secret: string | null }>(context, call, operation);
  if (done === null && (await isThere(context.store))) return { secret: null };
  return runOnceWith(context, call, operation, async (repositories) => {
    if (await isThere(repositories)) return { secret: null };
    const secret = configured ?? newSecret(organizationId);
    await insertKey(repositories, {
      organizationId,
      name: configured === undefined ? "first key" : "configured",
      kind: "organization",
      client: null,
      grants: null,
      permission: "write",
      rate: null,
      expiresAt: null,
      createdAt: iso(now),
      secret,
    });
    return { secret: configured === undefined ? secret : null };
  });
}
