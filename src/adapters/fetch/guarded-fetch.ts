import type { IncomingMessage } from "node:http";
import { AppError } from "../../core/errors.js";
import type { FetchedFile, FileFetcher } from "../../core/ports.js";
import { describeStatus } from "./answer-status.js";
import { describeFile } from "./describe-file.js";
import { createGuardedExchange, type GuardedFetchOptions, placeOf, readAddress } from "./guarded-exchange.js";
import { knownContentAddress } from "./known-places.js";
import { readAnswer } from "./read-answer.js";

const TIMEOUT_MS = 60_000;
const STALL_MS = 15_000;

/** A client for addresses that strangers name, over a guarded exchange. */
export function createGuardedFetch(options: GuardedFetchOptions): FileFetcher {
  const { isOffline, maximumBytes, stallMs = STALL_MS, timeoutMs = TIMEOUT_MS } = options;
  const { exchange } = createGuardedExchange({ ...options, stallMs, timeoutMs });
  const follow = (first: URL, signal: AbortSignal): Promise<FetchedFile> =>
    exchange(first, {}, signal, (answer, url, ends) => readFile(answer, url, { maximumBytes, signal: ends }));
  return {
    async fetch(address, signal) {
      if (isOffline)
        throw new AppError(
          "unsupported",
          "Nothing is fetched while RECOLLECT_OFFLINE is set. Start the service without it, or send the text itself.",
        );
      const url = readAddress(address);
      const content = knownContentAddress(url);
      if (content === null) return follow(url, signal);
      return follow(new URL(content), signal).catch((error: unknown) => {
        if (error instanceof AppError && error.kind === "not_found") return follow(url, signal);
        throw error;
      });
    },
  };
}

async function readFile(
  answer: IncomingMessage,
  url: URL,
  { maximumBytes, signal }: { readonly maximumBytes: number; readonly signal: AbortSignal },
): Promise<FetchedFile> {
  const { statusCode = 0, headers } = answer;
  if (statusCode !== 200) {
    answer.destroy();
    throw describeStatus(statusCode, headers["retry-after"], placeOf(url));
  }
  const bytes = await readAnswer(answer, { maximumBytes, signal, place: placeOf(url) });
  return { ...describeFile(headers, url), url: url.href, bytes };
}
