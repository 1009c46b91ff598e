import * as z from "zod";
import type { CoreContext } from "../context.js";
import { resealSettings } from "../upkeep/settings.js";
import type { Connection } from "../types.js";

const tokensSchema = z.object({
  access: z.string(),
  /** Null where there is none: then somebody signs in again once it is over. */
  refresh: z.string().nullable(),
  /** ISO date-time; null where the source does not say. */
  expiresAt: z.string().nullable(),
});
export type Tokens = z.output<typeof tokensSchema>;

const pendingSignInSchema = z.object({
  state: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  /** Where the browser goes afterwards. */
  redirectUrl: z.string().nullable(),
  expiresAt: z.string(),
});

const pendingDeviceSchema = z.object({ deviceCode: z.string(), expiresAt: z.string() });

const secretsSchema = z.object({
  /** Of the connector's secret fields. */
  fields: z.record(z.string(), z.string()),
  tokens: tokensSchema.nullable(),
  signIn: pendingSignInSchema.nullable(),
  device: pendingDeviceSchema.nullable(),
});

/** All that nobody but the service may know of a connection. */
export type ConnectionSecrets = z.output<typeof secretsSchema>;

export const NO_SECRETS: ConnectionSecrets = { fields: {}, tokens: null, signIn: null, device: null };

type SecretContext = Pick<CoreContext, "store" | "secretBox">;

/** @throws AppError `unavailable` where the key is gone that they were sealed with */
export async function readSecrets(
  { store, secretBox }: SecretContext,
  { organizationId, id }: Pick<Connection, "organizationId" | "id">,
): Promise<ConnectionSecrets> {
  const sealed = await store.connections.sealedSecrets(organizationId, id);
  return sealed === null ? NO_SECRETS : secretsSchema.parse(JSON.parse(await secretBox.open(sealed)));
}

export async function keepSecrets(
  { store, secretBox }: SecretContext,
  { organizationId, id }: Pick<Connection, "organizationId" | "id">,
  secrets: ConnectionSecrets,
): Promise<void> {
  await store.connections.keepSecrets(organizationId, id, await secretBox.seal(JSON.stringify(secrets)));
}

/**
 * Seals anew whatever an older key has sealed, so that the old one can be thrown away. What cannot be opened stays as it is:
 * its connection says so when it is used.
 */
export async function resealAll(context: SecretContext & Pick<CoreContext, "log">): Promise<void> {
  const { store, secretBox, log } = context;
  await resealSettings(context);
  for (const connection of await store.connections.list(store.organizationId)) {
    const { organizationId, id, webhooks } = connection;
    const sealed = await store.connections.sealedSecrets(organizationId, id);
    try {
      if (sealed !== null && !(await secretBox.isCurrent(sealed)))
        await keepSecrets(context, connection, await readSecrets(context, connection));
      if (webhooks === null || (await secretBox.isCurrent(webhooks.secret))) continue;
      const secret = await secretBox.seal(await secretBox.open(webhooks.secret));
      await store.connections.update(organizationId, id, { webhooks: { ...webhooks, secret } });
    } catch (error) {
      log.warn("the credentials of a connection cannot be read", { connection: id, error });
    }
  }
}
