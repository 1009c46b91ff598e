import * as z from "zod";
import { sha256 } from "../../lib/crypto.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { clientSchema, parseInput } from "../input.js";
import { runOnceWith } from "../operations.js";
import { createKeySchema, keyNameSchema, makeKey } from "./keys.js";

/** Longer than anyone leaves a page open before answering it; answered requests are remembered for this long. */
const REMEMBERED_MS = 24 * 60 * 60_000;
const MOST_CLIENTS = 20;

const connectClientsSchema = createKeySchema.pick({ grants: true, permission: true, expiresInDays: true }).extend({
  /** Name of the request that the owner answers: each can be answered only once. */
  request: z.string().min(16).max(200),
  clients: z
    .array(
      z.object({
        client: clientSchema.nullable(),
        kind: z.enum(["agent", "plugin"]),
        name: keyNameSchema,
      }),
    )
    .min(1)
    .max(MOST_CLIENTS),
});

/** The key of one client, which is revealed only this once. */
export interface ClientKey {
  readonly id: string;
  readonly client: string | null;
  readonly secret: string;
}

/**
 * Creates the keys that the owner approved on a page, all of them or none.
 * @throws AppError `conflict` when this request was already answered
 */
export async function connectClients(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ keys: ClientKey[] }> {
  const { request, clients, ...use } = parseInput(connectClientsSchema, raw);
  const { organizationId } = call.actor;
  const now = context.clock.now();
  return runOnceWith(context, call, { useCase: "connectClients", isSecret: true }, async (repositories) => {
    const until = new Date(now.getTime() + REMEMBERED_MS);
    if (!(await repositories.signIns.noteAnswer(organizationId, sha256(request), until))) throw answeredBefore();
    const keys: ClientKey[] = [];
    for (const { client, ...named } of clients) {
      const { key, secret } = await makeKey(
        repositories,
        { organizationId, now },
        { ...use, ...named, client: client ?? undefined },
      );
      keys.push({ id: key.id, client, secret });
    }
    return { keys };
  });
}

function answeredBefore(): AppError {
  return new AppError("conflict", "This request was already answered. Start again in the program that sent it.");
}
