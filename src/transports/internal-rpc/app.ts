import { Hono } from "hono";
import * as z from "zod";
import { isUseCase, type Core } from "../../core/index.js";
import { AppError } from "../../core/errors.js";
import { type Actor, FACES } from "../../core/types.js";
import { equalSecrets } from "../../lib/crypto.js";
import type { LeveledLog } from "../../lib/log.js";
import { readBodyText } from "../../lib/request-body.js";
import { refusalOf, statusOf } from "../errors.js";
import { requestIdOf, withRequestId } from "../request-id.js";

export interface OwnerDoorOptions {
  readonly core: Core;
  readonly log: LeveledLog;
  /** The secret in `service.json`, which only the user of this data folder can read. */
  readonly ownerToken: string;
  readonly version: string;
  /** What this process says about the data folder that it owns; null while it owns none. */
  readonly prove?: (() => object | null) | undefined;
  /** Longest request body, in bytes. */
  readonly maxBodyBytes: number;
}

/** What the server knows about a connection besides the request. */
interface OwnerDoorBindings {
  /** Aborted when the server is about to close. */
  readonly closing?: AbortSignal;
}

export type OwnerDoor = Hono<{ Bindings: OwnerDoorBindings }>;

/** Everything that limits an actor: a field lost on the way would let them do more. */
const actorFields = {
  organizationId: z.string(),
  name: z.string(),
  containers: z.union([z.literal("all"), z.array(z.string())]),
  readOnly: z.union([z.literal("all"), z.array(z.string())]).optional(),
  sees: z.array(z.string()).optional(),
  rate: z.object({ requests: z.number(), windowMs: z.number() }).optional(),
  isScoped: z.boolean().optional(),
  isApp: z.boolean().optional(),
  isKeyless: z.boolean().optional(),
  client: z.string().optional(),
  keyName: z.string().optional(),
} satisfies Record<keyof Actor, z.ZodType>;

/** What the other process says about its caller; the audit accepts what is plausible. */
const fromSchema = z.object({
  face: z.enum(FACES).catch("internal"),
  // A value too long to store is left out: nobody is refused because of it.
  address: z.string().max(64).optional().catch(undefined),
  client: z.string().max(200).optional().catch(undefined),
});

const callSchema = z.object({
  call: z.object({
    // What only a newer process would say about an actor is refused rather than ignored.
    actor: z.strictObject(actorFields),
    operationId: z.string().optional(),
    from: fromSchema.optional(),
  }),
  input: z.unknown(),
});

/**
 * The interface for other processes of this data folder: they call use cases by name, and notice the owner's end by the end of
 * `watch`. The actor they send is trusted, because whoever holds the token can read the data anyway.
 */
export function createOwnerDoor({ core, log, ownerToken, version, maxBodyBytes, prove }: OwnerDoorOptions): OwnerDoor {
  const app: OwnerDoor = new Hono();

  app.use("*", async (context, next) => {
    const token = context.req.header("x-recollect-owner");
    if (context.req.header("origin") !== undefined)
      throw new AppError("forbidden", "The interface for other processes is closed to web pages.");
    if (token === undefined || !equalSecrets(token, ownerToken))
      throw new AppError("unauthorized", "The header x-recollect-owner does not contain the token of this owner.");
    await next();
  });

  app.get("/ping", (context) => context.json({ version, pid: process.pid, possession: prove?.() ?? undefined }));

  app.get("/watch", (context) => watch(context.env?.closing));

  app.post("/call/:useCase", async (context) => {
    const name = context.req.param("useCase");
    if (!isUseCase(name)) throw new AppError("not_found", `There is no use case ${name}; this owner has ${version}.`);
    const { call, input } = readCall(await readBodyText(context.req.raw, maxBodyBytes));
    const result: unknown = await core[name]({ ...call, from: call.from ?? { face: "internal" } }, input);
    return context.json({ result: result ?? null });
  });

  app.all("*", (context) => {
    throw new AppError("not_found", `There is nothing at ${context.req.path}.`);
  });

  app.onError((error, context) => {
    const { req } = context;
    const told = withRequestId(log, requestIdOf(req.raw));
    const refusal = refusalOf(error, told, `${req.method} ${req.path}`, "owner");
    return context.json({ error: { ...refusal, retryAfter: refusal.retryAfter ?? null } }, statusOf(refusal.kind));
  });

  return app;
}

function readCall(text: string): z.output<typeof callSchema> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid", "The body is not JSON.", { cause: error });
  }
  const parsed = callSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid", "The body must be {call: {actor, operationId?}, input}.", { cause: parsed.error });
}

/** A response that begins at once and ends with the owner, whether it stops or its process dies. */
function watch(closing: AbortSignal | undefined): Response {
  let stop = () => undefined as void;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("owner\n"));
      stop = () => {
        closing?.removeEventListener("abort", stop);
        controller.close();
      };
      if (closing?.aborted) stop();
      else closing?.addEventListener("abort", stop, { once: true });
    },
    cancel() {
      closing?.removeEventListener("abort", stop);
    },
  });
  return new Response(body, { headers: { "content-type": "text/plain", "transfer-encoding": "chunked" } });
}
