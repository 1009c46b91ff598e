import type { CoreContext } from "../context.js";
import type { Connector, SourceAccess, SourceRequest } from "../ports.js";
import type { Connection } from "../types.js";
import { authorizationOf } from "./access-token.js";
import { SignInRefused } from "./connector-errors.js";
import { keptSecrets, type SecretPlace } from "./secrets.js";

/** A connection as its connector sees it. @throws UnreadableSecret if its credentials cannot be opened */
export function openSource(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  signal: AbortSignal,
): Promise<SourceAccess> {
  return openSourceWith(context, keptSecrets(context, connection), { connection, connector, signal });
}

/** As `openSource`, with credentials that may only be under test. */
export async function openSourceWith(
  context: CoreContext,
  place: SecretPlace,
  {
    connection,
    connector,
    signal,
  }: { readonly connection: Connection; readonly connector: Connector; readonly signal: AbortSignal },
): Promise<SourceAccess> {
  const { sources, clock, limits, store } = context;
  const { fields } = await place.read();
  const send = async (request: SourceRequest) => {
    const authorization = request.isSigned === false ? null : await authorizationOf(context, place, connector);
    try {
      return await sources.send(request, { authorization, signal });
    } catch (error) {
      if (!(error instanceof SignInRefused) || authorization === null) throw error;
      const another = await authorizationOf(context, place, connector, authorization);
      if (another === authorization) throw error;
      return sources.send(request, { authorization: another, signal });
    }
  };
  return {
    settings: connection.settings,
    secrets: fields,
    resources: connection.resources,
    request: send,
    resolveHost: (host, port) => sources.resolveHost(host, port),
    async known(id) {
      const found = await store.connections.item(connection.id, id);
      return found === null || found.version === null ? null : { version: found.version, detail: found.item.detail };
    },
    knownIds: (prefix) => store.connections.itemIds(connection.id, prefix),
    now: () => clock.now(),
    maximumBytes: limits.maxFileBytes,
    signal,
  };
}
