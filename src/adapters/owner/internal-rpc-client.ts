import * as z from "zod";
import { AppError, ERROR_KINDS } from "../../core/errors.js";
import { sleep } from "../../lib/time.js";
import { possessionSchema, type Possession } from "./possession.js";
import { createPulse, type Pulse, type PulseOptions } from "./heartbeat.js";
import type { ServiceAddress } from "./service-file.js";

const PING_TIMEOUT_MS = 2_000;
const WATCH_AGAIN_MS = 50;

const answerSchema = z.union([
  z.object({
    error: z.object({
      kind: z.enum(ERROR_KINDS),
      message: z.string(),
      issues: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).optional(),
      retryAfter: z.number().nullish(),
      paths: z.array(z.string()).optional(),
    }),
  }),
  z.object({ result: z.unknown() }),
]);

const pingSchema = z.object({ pid: z.number(), possession: possessionSchema.optional() });

/** The owner could not be reached, or went away before it answered: whether the call took effect is unknown. */
export class OwnerGone extends Error {
  override readonly name = "OwnerGone";
}

/** The owner of the data folder, in another process. */
export interface RemoteOwner {
  /**
   * Calls a use case there; may take as long as it does there.
   * @throws AppError as it does there, or `unavailable` when the owner exists but is silent for some 20 s; OwnerGone when no
   *   complete answer arrived
   */
  call(name: string, call: unknown, input: unknown): Promise<unknown>;
  /** True when it answers within 2 s and is who the address says. */
  ping(): Promise<boolean>;
  /** What it says about its data folder; null when it does not pass the checks of `ping`. */
  identify(): Promise<{ readonly possession?: Possession | undefined } | null>;
  /** Resolves when the owner has gone, or the signal aborts. */
  watch(signal: AbortSignal): Promise<void>;
  /** Ends the running calls with this error. */
  abandon(reason: AppError): void;
}

/** @param pulse how soon an owner counts as silent; tests are less patient */
export function connectOwner(
  address: ServiceAddress,
  pulse: Pick<PulseOptions, "everyMs" | "misses"> = {},
): RemoteOwner {
  return new OwnerConnection(address, pulse);
}

class OwnerConnection implements RemoteOwner {
  readonly #address: ServiceAddress;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #liveliness: Pulse;

  constructor(address: ServiceAddress, pulse: Pick<PulseOptions, "everyMs" | "misses">) {
    this.#address = address;
    this.#headers = { "x-recollect-owner": address.token, "content-type": "application/json" };
    this.#liveliness = createPulse({
      ...pulse,
      ping: () => this.ping(),
      silence: () => describeSilence(address),
    });
  }

  async call(name: string, call: unknown, input: unknown): Promise<unknown> {
    const body = JSON.stringify({ call, input: input ?? {} });
    const [status, json] = await this.#liveliness.during(async (signal) => {
      const response = await this.#send(`/internal/call/${name}`, { method: "POST", body, signal });
      return [response.status, await this.#readJson(response)] as const;
    });
    const answer = answerSchema.safeParse(json);
    if (!answer.success) throw this.#gone(`gave an incomplete answer (${status})`);
    if (!("error" in answer.data)) return answer.data.result;
    const { kind, message, issues, retryAfter, paths } = answer.data.error;
    // An unknown key is for the caller to handle; an unknown token means that this is another owner.
    if (kind === "unauthorized" && !(await this.ping())) throw this.#gone("was replaced by another one");
    throw new AppError(kind, message, {
      ...(issues && { issues }),
      ...(paths && { paths }),
      ...(typeof retryAfter === "number" && { retryAfter }),
    });
  }

  async ping(): Promise<boolean> {
    return (await this.identify()) !== null;
  }

  /** By now another program may listen there and answer anything. */
  async identify(): Promise<z.output<typeof pingSchema> | null> {
    try {
      const response = await this.#send("/internal/ping", { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
      const answer = pingSchema.safeParse(await this.#readJson(response));
      return response.ok && answer.success && answer.data.pid === this.#address.pid ? answer.data : null;
    } catch (error) {
      if (error instanceof OwnerGone) return null;
      throw error;
    }
  }

  async watch(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const response = await this.#send("/internal/watch", { signal });
        await readToEnd(response, signal);
      } catch {
        // However the stream ended, what counts is whether the owner still exists.
      }
      if (signal.aborted || !(await this.ping())) return;
      await sleep(WATCH_AGAIN_MS, { unref: true });
    }
  }

  abandon(reason: AppError): void {
    this.#liveliness.stop(reason);
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    try {
      // Whatever redirects is not the owner, and must not make us send the token elsewhere.
      return await fetch(new URL(path, this.#address.url), { ...init, headers: this.#headers, redirect: "error" });
    } catch (error) {
      throw this.#gone("does not answer", error);
    }
  }

  async #readJson(response: Response): Promise<unknown> {
    try {
      return await response.json();
    } catch (error) {
      throw this.#gone("was gone before its answer was complete", error);
    }
  }

  #gone(what: string, cause?: unknown): OwnerGone | AppError {
    if (cause instanceof AppError) return cause;
    return new OwnerGone(`The owner of the data folder at ${this.#address.url} ${what}`, { cause });
  }
}

/**
 * Reads a body to its end, or until the signal aborts. The signal passed to `fetch` is not enough: Node's fetch forgets it once
 * the request has been garbage-collected, and the open connection would keep the process alive.
 */
async function readToEnd({ body }: Response, signal: AbortSignal): Promise<void> {
  const reader = body?.getReader();
  if (!reader) return;
  const hangUp = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", hangUp, { once: true });
  try {
    if (signal.aborted) return hangUp();
    while (!(await reader.read()).done);
  } finally {
    signal.removeEventListener("abort", hangUp);
  }
}

function describeSilence({ url, pid }: ServiceAddress): AppError {
  return new AppError(
    "unavailable",
    `Process ${pid}, which owns the data folder, is running but does not answer at ${url}. It may be suspended or busy, and may still carry out the request. Try again. If it still does not answer, end that process.`,
    { retryAfter: 5 },
  );
}
