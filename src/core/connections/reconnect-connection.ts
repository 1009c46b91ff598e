import * as z from "zod";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { invalid, parseInput } from "../input.js";
import type { Connector, ConnectorSettings } from "../ports.js";
import { readFields, signInTo, webUrlSchema, type CreatedConnection } from "./create-connection.js";
import { connectionNameSchema, requireConnection, requireConnector } from "./find-connections.js";
import { NO_SECRETS, readableSecrets } from "./secrets.js";

const reconnectSchema = connectionNameSchema.extend({
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  redirectUrl: webUrlSchema.optional(),
  /** True: if a sign-in is needed, it is done on another device, if the provider supports that. */
  isDevice: z.boolean().optional(),
  origin: z.string().optional(),
});

/**
 * Signs a connection in again: with other credentials immediately, by a link, or on another device. Its documents stay; so do
 * its settings and credentials until the new ones have worked.
 * @throws AppError `invalid` for what does not work, or would send a stored secret to another place
 */
export async function reconnectConnection(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<CreatedConnection> {
  const { id, metadata, ...wish } = parseInput(reconnectSchema, raw);
  const connection = await requireConnection(context, call, id);
  const connector = requireConnector(context, connection.provider);
  const { fields } = (await readableSecrets(context, connection)) ?? NO_SECRETS;
  const { settings, secrets } = readFields(connector, { ...connection.settings, ...fields, ...metadata });
  const kept = Object.keys(fields).filter((name) => !Object.hasOwn(metadata ?? {}, name));
  requireSamePlace(connector, kept, { before: connection.settings, after: settings });
  return signInTo(context, { ...connection, settings }, connector, { ...wish, secrets });
}

/** A secret given for one place is not sent to any other. @throws AppError `invalid` */
function requireSamePlace(
  { placeFields = [] }: Connector,
  kept: readonly string[],
  { before, after }: { readonly before: ConnectorSettings; readonly after: ConnectorSettings },
): void {
  const changed = placeFields.filter((name) => before[name] !== after[name]);
  if (changed.length === 0 || kept.length === 0) return;
  throw invalid(
    kept.map((name) => ({
      path: ["metadata", name],
      message: `must be given again: ${changed.join(" and ")} changed, and it would be sent there`,
    })),
  );
}
