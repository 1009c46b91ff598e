import type { IncomingMessage } from "node:http";
import { AppError } from "../../core/errors.js";
import type { FetchedFile, FileFetcher } from "../../core/ports.js";
import { describeStatus } from "./answer-status.js";
import { describeFile } from "./describe-file.js";
import { createGuardedExchange, type GuardedFetchOptions, shownAddress, readAddress } from "./guarded-exchange.js";
import { knownContent } from "./places/index.js";
import type { Wishes } from "./places/known-place.js";
import { readAnswer, type ReadingBounds } from "./read-answer.js";

const TIMEOUT_MS = 60_000;
const STALL_MS = 15_000;

export interface GuardedFetchPlaces {
  /** Servers to use instead of these origins, such as `https://github.com`. Tests pass their own. */
  readonly mirrors?: Readonly<Record<string, string>>;
}

/** A client for addresses given by strangers, over a guarded exchange. For known sites it knows where their content is. */
export function createGuardedFetch(options: GuardedFetchOptions & GuardedFetchPlaces): FileFetcher {
  const { isOffline, maximumBytes, stallMs = STALL_MS, timeoutMs = TIMEOUT_MS, mirrors = {} } = options;
  const { exchange } = createGuardedExchange({ ...options, stallMs, timeoutMs });

  function follow(url: URL, signal: AbortSignal, { accept, maximumBytes: own = maximumBytes }: Wishes = {}) {
    const question = accept === undefined ? {} : { headers: { accept } };
    const bounds = { maximumBytes: Math.min(own, maximumBytes), isOfPlace: own < maximumBytes };
    return exchange(mirrored(url, mirrors), question, signal, (answer, last, ends) =>
      readFile(answer, last, { ...bounds, signal: ends }),
    );
  }

  return {
    async fetch(address, signal) {
      if (isOffline)
        throw new AppError(
          "unsupported",
          "Nothing is fetched while RECOLLECT_OFFLINE is set. Start the service without it, or send the text itself.",
        );
      const url = readAddress(address);
      const content = await knownContent(url)?.((wanted, wishes) => follow(readAddress(wanted), signal, wishes));
      return content ?? follow(url, signal);
    },
  };
}

function mirrored(url: URL, mirrors: Readonly<Record<string, string>>): URL {
  const mirror = mirrors[url.origin];
  return mirror === undefined ? url : new URL(`${mirror}${url.pathname}${url.search}${url.hash}`);
}

async function readFile(answer: IncomingMessage, url: URL, bounds: Omit<ReadingBounds, "place">): Promise<FetchedFile> {
  const { statusCode = 0, headers } = answer;
  if (statusCode !== 200) {
    answer.destroy();
    throw describeStatus(statusCode, headers["retry-after"], shownAddress(url));
  }
  const bytes = await readAnswer(answer, { ...bounds, place: shownAddress(url) });
  return { ...describeFile(headers, url), url: url.href, bytes };
}
