import * as z from "zod";
import { sha256 } from "../../lib/crypto.js";
import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { unknownCredential } from "../auth.js";
import { notFound } from "../errors.js";
import { containerTagSchema, noteSchema, parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import type { Repositories } from "../ports.js";
import { type Actor, type AppGrant, PERMISSIONS } from "../types.js";
import { endGrant, isExpiredRecord } from "./oauth-records.js";

const DAY_MS = 86_400_000;
/** An app without any grant has to register again after this long. */
const KEEP_CLIENT_MS = 30 * DAY_MS;
/** The last use is recorded at most this often, so that reading does not write. */
const TOUCH_EVERY_MS = 60_000;
const MOST_CONTAINERS = 100;

const allowSchema = z.object({
  issuer: z.string().max(500),
  clientId: z.string().min(1).max(2_048),
  clientName: noteSchema(200),
  clientHost: noteSchema(300),
  /** The only containers; all if omitted. */
  containerTags: z
    .array(containerTagSchema)
    .min(1, "must name at least 1 container")
    .max(MOST_CONTAINERS, `must name at most ${MOST_CONTAINERS} containers`)
    .optional(),
  permission: z.enum(PERMISSIONS),
  /** Never expires if omitted. */
  expiresInDays: z.int().min(1).max(3_650).optional(),
});

/** Grants an app access. @throws AppError `forbidden` unless the caller may use everything of the organisation */
export async function allowApp(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<AppGrant> {
  const { containerTags, expiresInDays, ...input } = parseInput(allowSchema, raw);
  const now = context.clock.now();
  const expiresAt = expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * DAY_MS);
  const grant: Omit<AppGrant, "lastUsedAt"> = {
    id: createId(),
    organizationId: call.actor.organizationId,
    ...input,
    containerTags: containerTags === undefined ? null : [...new Set(containerTags)],
    createdAt: iso(now),
    expiresAt: expiresAt && iso(expiresAt),
  };
  return runOnce(context, call, "allowApp", async ({ oauth }) => {
    await oauth.insertGrant(grant);
    await keepClient({ oauth }, grant, now);
    return { ...grant, lastUsedAt: null };
  });
}

/** Keeps the registration of an app as long as the last of its grants, and for a while without any. */
async function keepClient(
  { oauth }: Pick<Repositories, "oauth">,
  of: Pick<AppGrant, "organizationId" | "issuer" | "clientId">,
  now: Date,
): Promise<void> {
  const grants = (await oauth.grants(of.organizationId)).filter((grant) => oauthSecretOf(grant) === oauthSecretOf(of));
  const ends = grants.map(({ expiresAt }) => (expiresAt === null ? Infinity : Date.parse(expiresAt)));
  const last = grants.length === 0 ? now.getTime() + KEEP_CLIENT_MS : Math.max(...ends);
  await oauth.prolong("Client", sha256(oauthSecretOf(of)), last === Infinity ? null : new Date(last));
}

/** The key under which a registered client is stored. */
function oauthSecretOf({ issuer, clientId }: Pick<AppGrant, "issuer" | "clientId">): string {
  return `${issuer} ${clientId}`;
}

const tokenSchema = z.object({
  token: z.string(),
  /** The address of this server that the token was presented to; null where it accepts no apps. */
  issuer: z.string().max(500).nullable(),
});
const payloadSchema = z.object({ aud: z.string(), scope: z.string().default(""), grantId: z.string() });

/**
 * The app and grant behind an access token: it may do what the owner allowed, and no more than it asked for.
 * @throws AppError `unauthorized` with the same message for a token that is unknown, expired, revoked or for another server
 */
export async function authenticateToken(
  { store, clock, log }: CoreContext,
  _call: AuthorizedCall,
  raw: unknown,
): Promise<Actor> {
  const { token, issuer } = parseInput(tokenSchema, raw);
  const now = clock.now();
  const record = issuer === null ? null : await store.oauth.byHash("AccessToken", sha256(`${issuer} ${token}`));
  if (issuer === null || !record || isExpiredRecord(record, now)) throw unknownCredential();
  const { aud, scope, grantId } = payloadSchema.parse(JSON.parse(record.payload));
  const grant = await store.oauth.grant(store.organizationId, grantId);
  if (!grant || isExpiredRecord(grant, now) || aud !== `${issuer}/mcp`) throw unknownCredential();
  if (grant.lastUsedAt === null || now.getTime() - Date.parse(grant.lastUsedAt) > TOUCH_EVERY_MS)
    await store.oauth.touchGrant(grant.id, now).catch((error: unknown) => {
      log.warn("the use of a grant was not recorded", { grant: grant.id, error });
    });
  return actorOf(grant, scope.split(" "));
}

function actorOf(grant: AppGrant, scopes: readonly string[]): Actor {
  const client = clientOf(grant.clientName);
  return {
    organizationId: grant.organizationId,
    name: `oauth:${grant.id}`,
    containers: grant.containerTags ?? "all",
    ...((grant.permission === "read" || !scopes.includes("memory:write")) && { readOnly: "all" }),
    isApp: true,
    ...(client !== "" && { client }),
  };
}

/** A client's name in the form used in settings and records. */
function clientOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
}

/** Grants of apps, newest first, without expired ones. */
export async function listGrants(
  { store, clock }: CoreContext,
  { actor }: AuthorizedCall,
): Promise<{ grants: AppGrant[] }> {
  const grants = await store.oauth.grants(actor.organizationId);
  return { grants: grants.filter((grant) => !isExpiredRecord(grant, clock.now())) };
}

/** The codes and tokens of a grant are issued within minutes, or not at all. */
const AWAITED_MS = DAY_MS;

/** Ends grants that nobody can use any more, because their app never fetched its tokens or let them expire. */
export async function endDeadGrants({ store, clock }: CoreContext): Promise<number> {
  const now = clock.now().getTime();
  return store.transaction(async (repositories) => {
    const dead = await repositories.oauth.deadGrants(store.organizationId, new Date(now - AWAITED_MS));
    for (const grant of dead) {
      await endGrant(repositories, grant.id);
      await keepClient(repositories, grant, clock.now());
    }
    return dead.length;
  });
}

const revokeSchema = z.object({ client: z.string().min(1, "must not be empty").max(2_048) });

/**
 * Revokes the grants of an app immediately.
 * @param raw `client`: the id of a client, for everything of it, or of one grant
 * @throws AppError `not_found` when there is nothing
 */
export async function revokeGrants(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ revoked: number }> {
  const { client } = parseInput(revokeSchema, raw);
  return runOnce(context, call, "revokeGrants", async (repositories) => {
    const all = await repositories.oauth.grants(call.actor.organizationId);
    const ended = all.filter(({ id, clientId }) => id === client || clientId === client);
    if (ended.length === 0) throw notFound("grant", client);
    for (const grant of ended) {
      await endGrant(repositories, grant.id);
      const isLast = !all.some((one) => one.clientId === grant.clientId && !ended.includes(one));
      const until = new Date(context.clock.now().getTime() + KEEP_CLIENT_MS);
      if (isLast) await repositories.oauth.prolong("Client", sha256(oauthSecretOf(grant)), until);
    }
    return { revoked: ended.length };
  });
}
