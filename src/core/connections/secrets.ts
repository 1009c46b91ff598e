import * as z from "zod";
import { createId } from "../../lib/ids.js";
import type { CoreContext } from "../context.js";
import { UnreadableSecret } from "../errors.js";
import type { Repositories } from "../ports.js";
import { resealSettings } from "../upkeep/settings.js";
import type { Connection } from "../types.js";

const tokensSchema = z.object({
  access: z.string(),
  /** Null if there is none: then somebody signs in again once it expires. */
  refresh: z.string().nullable(),
  /** ISO date-time; null if the source does not say. */
  expiresAt: z.string().nullable(),
});
export type ConnectionTokens = z.output<typeof tokensSchema>;

/** The settings to apply once somebody has signed in; null: unchanged. */
const settings = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .nullable()
  .default(null);

const pendingSignInSchema = z.object({
  state: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  /** Where the browser goes afterwards. */
  redirectUrl: z.string().nullable(),
  expiresAt: z.string(),
  settings,
});

const pendingDeviceSchema = z.object({
  deviceCode: z.string(),
  expiresAt: z.string(),
  settings,
  /** The tokens the code gave, until the source says whether it accepts them: a code works only once. */
  tokens: tokensSchema.nullable().default(null),
});
export type PendingDevice = z.output<typeof pendingDeviceSchema>;

const pickerSchema = z.object({ token: z.string(), expiresAt: z.string(), returnUrl: z.string().nullable() });

const secretsSchema = z.object({
  /** Values of the connector's secret fields. */
  fields: z.record(z.string(), z.string()),
  tokens: tokensSchema.nullable(),
  /** New for each completed sign-in; null for a sign-in of an earlier version. */
  signInId: z.string().nullable().default(null),
  signIn: pendingSignInSchema.nullable(),
  device: pendingDeviceSchema.nullable(),
  /** The page where somebody may choose what is imported. */
  picker: pickerSchema.nullable().default(null),
  /** The previous secrets, sealed with a key that was missing when somebody began to sign in again. */
  former: z.string().nullable().default(null),
});

/** Everything about a connection that only the service may know. */
export type ConnectionSecrets = z.output<typeof secretsSchema>;

export const NO_SECRETS: ConnectionSecrets = {
  fields: {},
  tokens: null,
  signInId: null,
  signIn: null,
  device: null,
  picker: null,
  former: null,
};

type SecretContext = Pick<CoreContext, "store" | "secretBox">;
type Named = Pick<Connection, "organizationId" | "id">;

/** @throws UnreadableSecret if they can no longer be opened, or not before their key is back */
export async function readSecrets(context: SecretContext, { organizationId, id }: Named): Promise<ConnectionSecrets> {
  return opened(context, await context.store.connections.sealedSecrets(organizationId, id));
}

/** As `readSecrets`; null if they can no longer be opened. */
export async function readableSecrets(context: SecretContext, named: Named): Promise<ConnectionSecrets | null> {
  return openedIfReadable(context, await context.store.connections.sealedSecrets(named.organizationId, named.id));
}

/**
 * Changes the secrets as they are at the time of writing, so that concurrent changes are not lost.
 * @param change receives null for secrets that can no longer be opened; if it returns null, nothing changes
 * @param within what is written in the same transaction
 * @returns those that were replaced; null if nothing changed
 */
export async function changeSecrets(
  context: SecretContext,
  { organizationId, id }: Named,
  change: (now: ConnectionSecrets | null) => ConnectionSecrets | null,
  within?: (repositories: Repositories) => Promise<void>,
): Promise<ConnectionSecrets | null> {
  const { store, secretBox } = context;
  for (;;) {
    const former = await store.connections.sealedSecrets(organizationId, id);
    const before = await openedIfReadable(context, former);
    const changed = change(before);
    if (changed === null) return null;
    // A sign-in that has merely begun discards nothing that a key may open again.
    const isBegun = before === null && changed.tokens === null && Object.keys(changed.fields).length === 0;
    const after = isBegun ? { ...changed, former } : changed;
    const sealed = await secretBox.seal(JSON.stringify(after));
    const outcome = await store.transaction(async (repositories) => {
      const { connections } = repositories;
      if ((await connections.byId(organizationId, id)) === null) return "gone";
      if (!(await connections.keepSecrets(organizationId, id, sealed, former))) return "overtaken";
      await within?.(repositories);
      return "kept";
    });
    if (outcome === "gone") return null;
    if (outcome === "kept") return before ?? NO_SECRETS;
  }
}

async function opened({ secretBox }: SecretContext, sealed: string | null): Promise<ConnectionSecrets> {
  if (sealed === null) return NO_SECRETS;
  const secrets = secretsSchema.parse(JSON.parse(await secretBox.open(sealed)));
  if (secrets.former === null) return secrets;
  const text = await secretBox.open(secrets.former).catch(() => null);
  if (text === null) return secrets;
  const { fields, tokens, signInId } = secretsSchema.parse(JSON.parse(text));
  return { ...secrets, fields, tokens, signInId, former: null };
}

async function openedIfReadable(context: SecretContext, sealed: string | null): Promise<ConnectionSecrets | null> {
  try {
    return await opened(context, sealed);
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}

/** Where the credentials for a source are held. */
export interface SecretPlace {
  readonly organizationId: string;
  readonly id: string;
  read(): Promise<ConnectionSecrets>;
  /** As `changeSecrets`. */
  change(how: (now: ConnectionSecrets | null) => ConnectionSecrets | null): Promise<ConnectionSecrets | null>;
}

/** Credentials stored with a connection. */
export function keptSecrets(context: SecretContext, { organizationId, id }: Named): SecretPlace {
  const named = { organizationId, id };
  return {
    ...named,
    read: () => readSecrets(context, named),
    change: (how) => changeSecrets(context, named, how),
  };
}

/** Credentials that are only being tested, and stored nowhere. */
export function triedSecrets(organizationId: string, secrets: ConnectionSecrets): SecretPlace {
  let now = secrets;
  return {
    organizationId,
    id: createId(),
    read: () => Promise.resolve(now),
    change(how) {
      const before = now;
      const after = how(now);
      now = after ?? now;
      return Promise.resolve(after && before);
    },
  };
}

/**
 * Reseals everything sealed with an older key, so that the old key can be discarded. What cannot be opened stays as it is: its
 * connection reports it when used.
 */
export async function resealAll(context: SecretContext & Pick<CoreContext, "log">): Promise<void> {
  const { store, secretBox, log } = context;
  await resealSettings(context).catch((error: unknown) => {
    log.warn("the secrets of the settings cannot be read", { error });
  });
  for (const connection of await store.connections.list(store.organizationId)) {
    const { organizationId, id, webhooks } = connection;
    const sealed = await store.connections.sealedSecrets(organizationId, id);
    try {
      if (sealed !== null && !(await secretBox.isCurrent(sealed))) {
        await readSecrets(context, connection);
        await changeSecrets(context, connection, (now) => now);
      }
      if (webhooks === null || (await secretBox.isCurrent(webhooks.secret))) continue;
      const secret = await secretBox.seal(await secretBox.open(webhooks.secret));
      await store.connections.update(organizationId, id, { webhooks: { ...webhooks, secret } });
    } catch (error) {
      log.warn("the credentials of a connection cannot be read", { connection: id, error });
    }
  }
}
