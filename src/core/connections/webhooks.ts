import { randomSecret } from "../../lib/crypto.js";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Connector, ConnectorWebhooks } from "../ports.js";
import type { Connection, Webhooks } from "../types.js";
import { isChosen } from "./find-connections.js";
import { withPatience } from "./patience.js";
import { hasCome } from "./schedule.js";
import { openSource } from "./source-access.js";
import { isOpen } from "./sync.js";

/** The longest that creating or changing a connection waits for its webhooks. */
const PATIENCE_MS = 20_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** No source keeps a webhook long enough for a later renewal: it was set by a wrong clock. */
const LONGEST_RENEWAL_MS = 60 * DAY_MS;

type Named = Pick<Connection, "organizationId" | "id">;

/**
 * Registers for change notifications from the source of a connection, or ends that, according to the connection's current
 * state. Never fails: a connection without webhooks is synced automatically.
 * @returns how many are registered
 */
export async function settleWebhooks(context: CoreContext, named: Named): Promise<number> {
  const { id } = named;
  // Two concurrent calls would each register with a secret of their own.
  const former = context.webhookChanges.get(id) ?? Promise.resolve(0);
  const settled = former.catch(() => 0).then(() => settleOnce(context, named));
  context.webhookChanges.set(id, settled);
  return settled.finally(() => {
    if (context.webhookChanges.get(id) === settled) context.webhookChanges.delete(id);
  });
}

async function settleOnce(context: CoreContext, { organizationId, id }: Named): Promise<number> {
  const connection = await context.store.connections.byId(organizationId, id);
  const connector = connection && context.connectors.get(connection.provider);
  if (!connection || !connector?.webhooks) return 0;
  const wanted = wishOf(context, connection, connector);
  if (wanted === "none") await dropWebhooks(context, connection);
  if (wanted !== "some") return wanted === "none" ? 0 : (connection.webhooks?.count ?? 0);
  return register(context, connection, connector, connector.webhooks);
}

/** Renews registrations that expire soon, retries failed ones, and removes those no longer wanted. */
export async function renewWebhooks(context: CoreContext): Promise<void> {
  const { store, clock } = context;
  const now = clock.now();
  const latest = iso(new Date(now.getTime() + LONGEST_RENEWAL_MS));
  for (const connection of await store.connections.list(store.organizationId)) {
    const connector = context.connectors.get(connection.provider);
    if (!connector?.webhooks) continue;
    const { webhooks } = connection;
    const wanted = wishOf(context, connection, connector);
    const isTime = webhooks?.renewAt != null && hasCome(webhooks.renewAt, now, latest);
    const isDue =
      wanted === "none"
        ? webhooks !== null && (isTime || webhooks.isLeaving !== true)
        : wanted === "some" && (webhooks?.url !== urlOf(context, connection) || isTime);
    if (isDue) await settleWebhooks(context, connection);
  }
}

/**
 * Ends the source's notifications; what it still sends is refused from now on.
 * @returns false if it could not be reached: that is retried with the next renewal
 */
export async function dropWebhooks(context: CoreContext, connection: Connection): Promise<boolean> {
  const { store, clock } = context;
  const { organizationId, id, webhooks } = connection;
  if (webhooks === null) return true;
  const leaving: Webhooks = { ...webhooks, isLeaving: true, renewAt: iso(new Date(clock.now().getTime() + HOUR_MS)) };
  await store.connections.update(organizationId, id, { webhooks: leaving });
  if (!(await removeAtSource(context, connection, webhooks.detail))) return false;
  await store.transaction(async ({ connections }) => {
    const now = await connections.byId(organizationId, id);
    // Others may have been registered meanwhile.
    if (now?.webhooks?.isLeaving) await connections.update(organizationId, id, { webhooks: null });
  });
  return true;
}

/**
 * `kept`: while somebody has to sign in again, no requests can be made to the source; and a copy of a data folder that is
 * inspected elsewhere without an address must not remove the original's registrations.
 */
function wishOf(context: CoreContext, connection: Connection, connector: Connector): "some" | "none" | "kept" {
  const { state, everyMinutes } = connection;
  if (state === "paused" || state === "removing" || everyMinutes === null || !isChosen(connector, connection))
    return "none";
  return isOpen(connection) && urlOf(context, connection) !== null ? "some" : "kept";
}

function urlOf({ webhooksUrl }: CoreContext, { id }: Named): string | null {
  return webhooksUrl === null ? null : `${webhooksUrl}/${id}`;
}

async function register(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  webhooks: ConnectorWebhooks,
): Promise<number> {
  const { store, clock, secretBox, log } = context;
  const { organizationId, id, provider } = connection;
  const url = urlOf(context, connection) ?? "";
  const keep = (kept: Webhooks) => store.connections.update(organizationId, id, { webhooks: kept });
  const former = connection.webhooks?.url === url ? connection.webhooks : null;
  if (connection.webhooks && !former) await dropWebhooks(context, connection);
  const secret = former ? await secretBox.open(former.secret).catch(() => null) : null;
  const known = secret === null ? null : former;
  const used = secret ?? randomSecret();
  const begun: Webhooks = known
    ? { ...known, isLeaving: false }
    : { secret: await secretBox.seal(used), url, count: 0, detail: null, renewAt: null };
  // Stored before the request: some sources send a first message during it.
  await keep({ ...begun, count: 0 });
  let detail: unknown = null;
  try {
    const made = await withPatience(
      connector.title,
      async (signal) => {
        const source = await openSource(context, connection, connector, signal);
        return webhooks.register(source, { url, secret: used }, begun.detail);
      },
      PATIENCE_MS,
    );
    ({ detail } = made);
    const { count, expiresAt } = made;
    const isKept = await store.transaction(async ({ connections }) => {
      const now = await connections.byId(organizationId, id);
      // Paused, or removed, meanwhile.
      if (now === null || wishOf(context, now, connector) === "none") return false;
      // Registrations without expiry are checked daily: somebody may have removed them.
      const renewAt = renewalBefore(expiresAt ?? iso(new Date(clock.now().getTime() + 2 * DAY_MS)), clock.now());
      await connections.update(organizationId, id, { webhooks: { ...begun, count, detail, renewAt } });
      return true;
    });
    if (isKept) return count;
    await removeAtSource(context, connection, detail);
    return 0;
  } catch (error) {
    const reason = error instanceof AppError ? error.message : "Something unexpected went wrong.";
    log.info("a source does not report its changes; its connection is synced as often as before", {
      connection: id,
      provider,
      reason,
    });
    const renewAt = iso(new Date(clock.now().getTime() + (isFinal(error) ? DAY_MS : HOUR_MS)));
    // A registration that is not stored could never be removed later.
    await removeAtSource(context, connection, detail);
    const left = detail === null ? begun : { ...begun, count: 0, detail: null };
    await keep({ ...left, renewAt });
    return left.count;
  }
}

/** A day before expiry, or half-way to it if that is less than two days away. */
function renewalBefore(expiresAt: string, now: Date): string {
  const life = Date.parse(expiresAt) - now.getTime();
  return iso(new Date(Date.parse(expiresAt) - Math.min(DAY_MS, life / 2)));
}

/** @returns false if it is worth retrying */
async function removeAtSource(context: CoreContext, connection: Connection, detail: unknown): Promise<boolean> {
  const connector = context.connectors.get(connection.provider);
  if (!connector?.webhooks || detail === null) return true;
  const { title, webhooks } = connector;
  try {
    await withPatience(
      title,
      async (signal) => webhooks.remove(await openSource(context, connection, connector, signal), detail),
      PATIENCE_MS,
    );
    return true;
  } catch (error) {
    const reason = error instanceof AppError ? error.message : "Something unexpected went wrong.";
    context.log.info("a source may continue to report changes, which are refused", {
      connection: connection.id,
      reason,
    });
    return isFinal(error);
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof AppError && error.kind !== "unavailable" && error.kind !== "rate_limited";
}
