import { generateKeyPairSync } from "node:crypto";
import * as z from "zod";
import { randomSecret, sha256 } from "../../lib/crypto.js";
import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import type { Repositories } from "../ports.js";
import type { OAuthRecord } from "../types.js";

/** Apps may register without asking anybody, so those never authorised are kept few and briefly. */
const MOST_CLIENTS = 1_000;
const CLIENT = "Client";
const LONGEST_PAYLOAD = 65_536;

const kindSchema = z.string().min(1).max(64);
/** The secret needed to read a record. Only its hash is stored. */
const secretSchema = z.string().min(1).max(4_096);
const keySchema = z.object({ kind: kindSchema, secret: secretSchema });

const saveSchema = keySchema.extend({
  uid: secretSchema.optional(),
  grantId: z.string().max(200).optional(),
  payload: z.string().max(LONGEST_PAYLOAD),
  /** No limit if omitted. */
  expiresInSeconds: z.number().min(0).optional(),
});

/** Inserts or replaces a record of the OAuth protocol. */
export async function saveOAuthRecord(
  { store, clock }: CoreContext,
  _call: AuthorizedCall,
  raw: unknown,
): Promise<{ saved: true }> {
  const wanted = parseInput(saveSchema, raw);
  await store.transaction(async ({ oauth }) => {
    await oauth.save(recordOf(wanted, clock.now()));
    if (wanted.kind === CLIENT) await oauth.trim(CLIENT, MOST_CLIENTS);
  });
  return { saved: true };
}

function recordOf(wanted: z.output<typeof saveSchema>, now: Date): Omit<OAuthRecord, "consumedAt"> {
  const { kind, secret, uid, grantId, payload, expiresInSeconds } = wanted;
  return {
    kind,
    hash: sha256(secret),
    uidHash: uid === undefined ? null : sha256(uid),
    grantId: grantId ?? null,
    payload,
    createdAt: iso(now),
    expiresAt: expiresInSeconds === undefined ? null : iso(new Date(now.getTime() + expiresInSeconds * 1_000)),
  };
}

/** A stored record that has not expired. */
export interface FoundRecord {
  readonly payload: string;
  readonly isConsumed: boolean;
}

const findSchema = z.union([keySchema, z.object({ kind: kindSchema, uid: secretSchema })]);

/** Finds a record by its secret or its second name. */
export async function findOAuthRecord(
  { store, clock }: CoreContext,
  _call: AuthorizedCall,
  raw: unknown,
): Promise<{ found: FoundRecord | null }> {
  const wanted = parseInput(findSchema, raw);
  const record =
    "secret" in wanted
      ? await store.oauth.byHash(wanted.kind, sha256(wanted.secret))
      : await store.oauth.byUid(wanted.kind, sha256(wanted.uid));
  if (!record || isExpiredRecord(record, clock.now())) return { found: null };
  return { found: { payload: record.payload, isConsumed: record.consumedAt !== null } };
}

/** True from the moment on at which something expires. */
export function isExpiredRecord({ expiresAt }: Pick<OAuthRecord, "expiresAt">, now: Date): boolean {
  return expiresAt !== null && expiresAt <= iso(now);
}

const consumeSchema = keySchema.extend({
  /** The records it is exchanged for. */
  save: z.array(saveSchema).max(5).default([]),
});

/**
 * Consumes a single-use code or token, and stores what it is exchanged for: both, or neither. If it is presented a second time,
 * either caller may be an impostor: then everything of its grant becomes invalid.
 */
export async function consumeOAuthRecord(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ isFirst: boolean }> {
  const { kind, secret, save } = parseInput(consumeSchema, raw);
  const now = context.clock.now();
  return runOnce(context, call, "consumeOAuthRecord", async (repositories) => {
    const hash = sha256(secret);
    const record = await repositories.oauth.byHash(kind, hash);
    if (await repositories.oauth.consume(kind, hash, now)) {
      for (const one of save) await repositories.oauth.save(recordOf(one, now));
      return { isFirst: true };
    }
    if (record?.grantId) await endGrant(repositories, record.grantId);
    return { isFirst: false };
  });
}

const dropSchema = z.union([keySchema, z.object({ grantId: z.string().max(200), kind: kindSchema.optional() })]);

/** Removes one record, or the records of one kind that belong to a grant, or, without a kind, the grant with everything. */
export async function dropOAuthRecords(
  { store }: CoreContext,
  _call: AuthorizedCall,
  raw: unknown,
): Promise<{ dropped: true }> {
  const wanted = parseInput(dropSchema, raw);
  if ("secret" in wanted) await store.oauth.remove(wanted.kind, sha256(wanted.secret));
  else if (wanted.kind !== undefined) await store.oauth.removeOfGrant(wanted.grantId, wanted.kind);
  else await store.transaction((repositories) => endGrant(repositories, wanted.grantId));
  return { dropped: true };
}

/** Ends the grant of an app together with its tokens. */
export async function endGrant({ oauth }: Pick<Repositories, "oauth">, grantId: string): Promise<void> {
  await oauth.removeOfGrant(grantId);
  await oauth.removeGrantById(grantId);
}

/** Secrets of the authorization server itself. */
export interface OAuthSecrets {
  /** Private key that signs the owner's identity for apps that ask. */
  readonly jwk: Readonly<Record<string, string>>;
  /** Signs cookies. */
  readonly cookieKey: string;
}

const secretsSchema = z.object({ jwk: z.record(z.string(), z.string()), cookieKey: z.string() });

/** The secrets of this store; created on first use, and permanent. */
export async function oauthSecrets({ store }: CoreContext): Promise<OAuthSecrets> {
  const { organizationId } = store;
  const kept = await store.oauth.secrets(organizationId);
  if (kept !== null) return secretsSchema.parse(JSON.parse(kept));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: createId() };
  await store.oauth.insertSecrets(organizationId, JSON.stringify({ jwk, cookieKey: randomSecret() }));
  // Another process may have been first.
  return secretsSchema.parse(JSON.parse((await store.oauth.secrets(organizationId)) ?? ""));
}
