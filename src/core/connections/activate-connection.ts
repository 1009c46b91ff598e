import { createId } from "../../lib/ids.js";
import { oneLine } from "../../lib/one-line.js";
import { truncate } from "../../lib/truncate.js";
import type { CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import type { Connector } from "../ports.js";
import type { Connection } from "../types.js";
import { orderSync } from "./connection-jobs.js";
import { SignInRefused } from "./connector-errors.js";
import { isChosen, requireKept } from "./find-connections.js";
import { withPatience } from "./patience.js";
import { changeSecrets, type ConnectionSecrets, NO_SECRETS, triedSecrets } from "./secrets.js";
import { openSourceWith } from "./source-access.js";
import { settleWebhooks } from "./webhooks.js";

const LONGEST_ACCOUNT = 300;

/** The credentials for signing in: values of the secret fields, or tokens received. */
export type Credentials = Pick<ConnectionSecrets, "fields" | "tokens">;

/**
 * Tests credentials with the settings of `connection`, stores both if they work, and starts to sync; a paused connection stays
 * paused. If they do not work, nothing changes.
 * @throws AppError `invalid` if the source refuses them, `unavailable` if it does not answer in time, `not_found` if the
 * connection was removed meanwhile
 */
export async function activate(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  credentials: Credentials,
): Promise<void> {
  const { organizationId, id, settings } = connection;
  const tried = triedSecrets(organizationId, { ...NO_SECRETS, ...credentials });
  const checked = await withPatience(connector.title, async (signal) =>
    connector.check(await openSourceWith(context, tried, { connection, connector, signal })),
  ).catch((error: unknown) => {
    if (error instanceof SignInRefused) throw new AppError("invalid", error.message, { cause: error });
    throw error;
  });
  // The source's name for it: one line, whatever it contains.
  const account = checked.account === null ? null : truncate(oneLine(checked.account), LONGEST_ACCOUNT);
  // A token may have been replaced during the test.
  const { fields, tokens } = await tried.read();
  const isKept = await changeSecrets(
    context,
    connection,
    (now) => ({ ...(now ?? NO_SECRETS), fields, tokens, signInId: createId(), former: null }),
    async (repositories) => {
      const now = await requireKept(repositories, organizationId, id);
      const state = now.state === "paused" ? "paused" : "active";
      // Other settings may include what was skipped before, and another account has other items: everything is listed again.
      const isAnother =
        JSON.stringify(settings) !== JSON.stringify(now.settings) || (now.account !== null && account !== now.account);
      const change = { settings, state, problem: null, account, ...(isAnother && { checkpoint: null }) } as const;
      await repositories.connections.update(organizationId, id, change);
      if (state === "active" && isChosen(connector, { ...now, settings }))
        await orderSync(repositories, { ...now, ...change }, { trigger: "event", now: context.clock.now() });
    },
  );
  if (!isKept) throw notFound("connection", id);
  context.wakeJobs();
  await settleWebhooks(context, connection);
}
