import * as z from "zod";
import { networkOf } from "../../lib/ip-address.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { bytesSchema } from "../documents/file-bytes.js";
import { AppError } from "../errors.js";
import { customIdSchema, parseInput } from "../input.js";
import { orderSync } from "./connection-jobs.js";
import { isOpen } from "./sync.js";

/** Limit for messages without proof, per network. */
const REFUSED = { requests: 60, windowMs: 60_000 };
/** Messages within this time cause one run. */
const GATHERED_MS = 5_000;

const messageSchema = z.object({
  id: z.string(),
  headers: z.record(z.string(), z.string()),
  validationToken: z.string().max(1_000).nullable(),
  /** `FileBytes`, or base64. */
  bytes: bytesSchema,
});

/**
 * Receives a change notification from a source: its connection is synced soon. It has no other effect, and none of it is
 * stored.
 * @returns the answer that the source expects
 * @throws AppError `not_found`, both for an unknown connection and for a message without proof; `rate_limited`
 */
export async function receiveWebhook(
  context: CoreContext,
  { from }: AuthorizedCall,
  raw: unknown,
): Promise<{ readonly answer: string }> {
  const { store, attempts, secretBox } = context;
  const { id, ...message } = parseInput(messageSchema, raw);
  // Counted before the result is known, so that concurrent attempts count too.
  const counted = `webhooks from ${networkOf(from?.address ?? "")}`;
  const { waitMs } = await attempts.take(counted, REFUSED);
  if (waitMs > 0)
    throw new AppError("rate_limited", "Too many unverified messages came from there.", {
      retryAfter: Math.ceil(waitMs / 1_000),
    });
  const isId = customIdSchema.safeParse(id).success;
  const connection = isId ? await store.connections.byId(store.organizationId, id) : null;
  const webhooks = connection && context.connectors.get(connection.provider)?.webhooks;
  if (!connection?.webhooks || connection.webhooks.isLeaving || !webhooks) throw unknown();
  // A challenge is sent only while webhooks are being registered.
  const challenge = connection.webhooks.count === 0 ? (webhooks.challenge?.(message) ?? null) : null;
  if (challenge !== null) return { answer: challenge };
  // While its key is missing nothing can be proved, and nothing is revealed.
  const secret = await secretBox.open(connection.webhooks.secret).catch(() => null);
  if (secret === null || !webhooks.verify(message, secret)) throw unknown();
  await attempts.giveBack(counted, REFUSED);
  if (isOpen(connection)) {
    const runAt = new Date(context.clock.now().getTime() + GATHERED_MS);
    const gathered = { runAt, reason: "Its source reported a change." };
    await store.transaction((repositories) =>
      orderSync(repositories, connection, { trigger: "event", now: context.clock.now(), gathered }),
    );
    context.wakeJobs();
  }
  return { answer: "" };
}

function unknown(): AppError {
  return new AppError("not_found", "No source sends messages to this address.");
}
