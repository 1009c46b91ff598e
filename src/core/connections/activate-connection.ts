import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Connector } from "../ports.js";
import type { Connection } from "../types.js";
import { orderSync } from "./connection-jobs.js";
import { SignInRefused } from "./connector-errors.js";
import { openSource } from "./source-access.js";
import { isChosen } from "./find-connections.js";
import { settleWebhooks } from "./webhooks.js";

/** Tries a sign-in, and begins to sync. @throws AppError `invalid` where the source refuses it */
export async function activate(context: CoreContext, connection: Connection, connector: Connector): Promise<void> {
  const { organizationId, id } = connection;
  const source = await openSource(context, connection, connector, AbortSignal.timeout(60_000));
  const { account } = await connector.check(source).catch((error: unknown) => {
    if (error instanceof SignInRefused) throw new AppError("invalid", error.message, { cause: error });
    throw error;
  });
  await context.store.transaction(async (repositories) => {
    const active = { state: "active", problem: null, account } as const;
    await repositories.connections.update(organizationId, id, active);
    if (isChosen(connector, connection))
      await orderSync(repositories, { ...connection, ...active }, { trigger: "event", now: context.clock.now() });
  });
  context.wakeJobs();
  await settleWebhooks(context, connection);
}
