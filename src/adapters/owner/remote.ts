import * as z from "zod";
import { AppError, ERROR_KINDS } from "../../core/errors.js";
import type { ServiceAddress } from "./service-file.js";

const PING_TIMEOUT_MS = 2_000;

const answerSchema = z.union([
  z.object({
    error: z.object({
      kind: z.enum(ERROR_KINDS),
      message: z.string(),
      issues: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).optional(),
      retryAfter: z.number().nullish(),
    }),
  }),
  z.object({ result: z.unknown() }),
]);

/** The owner could not be reached, or went away before it answered: whether the call was done is not known. */
export class OwnerGone extends Error {
  override readonly name = "OwnerGone";
}

/** The owner of the data folder, in another process. */
export interface RemoteOwner {
  /** Calls a use case there. @throws AppError as it does there; OwnerGone when no whole answer came */
  call(name: string, call: unknown, input: unknown): Promise<unknown>;
  /** True when it answers, and is who the address says. */
  ping(): Promise<boolean>;
  /** Resolves when the owner has gone, or the signal aborts. */
  watch(signal: AbortSignal): Promise<void>;
}

export function connectOwner(address: ServiceAddress): RemoteOwner {
  const headers = { "x-recollect-owner": address.token, "content-type": "application/json" };

  async function send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(new URL(path, address.url), { ...init, headers });
    } catch (error) {
      throw new OwnerGone(`The owner of the data folder does not answer at ${address.url}`, { cause: error });
    }
  }

  return {
    async call(name, call, input) {
      const body = JSON.stringify({ call, input: input ?? {} });
      const response = await send(`/internal/call/${name}`, { method: "POST", body });
      const answer = answerSchema.safeParse(await readJson(response));
      if (!answer.success)
        throw new OwnerGone(`The owner of the data folder gave no whole answer (${response.status})`);
      if ("error" in answer.data) {
        const { kind, message, issues, retryAfter } = answer.data.error;
        throw new AppError(kind, message, {
          ...(issues && { issues }),
          ...(typeof retryAfter === "number" && { retryAfter }),
        });
      }
      return answer.data.result;
    },

    async ping() {
      try {
        const response = await send("/internal/ping", { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
        await response.body?.cancel();
        return response.ok;
      } catch (error) {
        if (error instanceof OwnerGone) return false;
        throw error;
      }
    },

    async watch(signal) {
      try {
        const response = await send("/internal/watch", { signal });
        for await (const _ of response.body ?? []) if (signal.aborted) return;
      } catch {
        // However the stream ended, the owner is gone or the watching is over; both is what the caller waits for.
      }
    },
  };
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw new OwnerGone("The owner of the data folder went away in the middle of its answer", { cause: error });
  }
}
