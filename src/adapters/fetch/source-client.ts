import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { SignInRefused } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { SourceAnswer, SourceClient, SourceRequest } from "../../core/ports.js";
import { parseRetryAfter } from "../../lib/http-fetch.js";
import {
  createGuardedExchange,
  type GuardedFetchOptions,
  shownAddress,
  type FetchQuestion,
  readAddress,
} from "./guarded-exchange.js";
import { checkLiteral, guardedLookup, noSuchHost } from "./guarded-lookup.js";
import { readAnswer } from "./read-answer.js";

const TIMEOUT_MS = 120_000;
const STALL_MS = 30_000;
/** Seconds to wait where a source asks for fewer requests without saying for how long. */
const USUAL_PAUSE = 30;
/** Seconds; a source that wants a longer pause is still asked again. */
const LONGEST_PAUSE = 60 * 60;

/** Requests of connections to their sources: guarded like every address from callers, since they choose hosts too. */
export function createSourceClient(options: GuardedFetchOptions): SourceClient {
  const { isOffline, stallMs = STALL_MS, timeoutMs = TIMEOUT_MS } = options;
  const { exchange, guard, resolveName } = createGuardedExchange({ ...options, stallMs, timeoutMs });
  return {
    async send(request, { authorization, signal }) {
      refuseOffline(isOffline);
      const { maximumBytes = options.maximumBytes } = request;
      const question = questionOf(request, authorization);
      const answer = await exchange(readAddress(request.url), question, signal, (found, url, ends) =>
        read(found, url, { maximumBytes, signal: ends }),
      );
      return accepted(answer, request);
    },

    resolveHost(host, port) {
      refuseOffline(isOffline);
      const name = host.replace(/^\[|\]$/g, "");
      if (isIP(name) !== 0) {
        checkLiteral({ host: name, port }, guard);
        return Promise.resolve(name);
      }
      return new Promise((resolve, reject) => {
        const lookup = guardedLookup(resolveName, guard, { host: name, port });
        lookup(name, {}, (error, address) => {
          if (error) return reject(lookupFailure(name, error));
          const [first] = typeof address === "string" ? [address] : address.map((one) => one.address);
          if (first === undefined) return reject(new Error(`${name} has no address.`));
          resolve(first);
        });
      });
    },
  };
}

function lookupFailure(host: string, error: NodeJS.ErrnoException | AppError): AppError {
  if (error instanceof AppError) return error;
  if (error.code === "ENOTFOUND") return noSuchHost(host);
  return new AppError("unavailable", `The address of ${host} cannot be resolved at the moment.`, { cause: error });
}

function refuseOffline(isOffline: boolean): void {
  if (isOffline)
    throw new AppError(
      "unsupported",
      "Nothing is fetched while RECOLLECT_OFFLINE is set. Start the service without it to sync connections.",
    );
}

function questionOf(
  { method, headers, body, isSigned = true }: SourceRequest,
  authorization: string | null,
): FetchQuestion {
  const isPlain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const sent: string | Uint8Array | undefined = isPlain ? body : JSON.stringify(body);
  const named = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      accept: "*/*",
      ...(!isPlain && { "content-type": "application/json" }),
      ...(sent !== undefined && { "content-length": String(Buffer.byteLength(sent)) }),
      ...(authorization !== null && isSigned && { authorization }),
      ...named,
    },
    body: sent,
  };
}

async function read(
  answer: IncomingMessage,
  url: URL,
  { maximumBytes, signal }: { readonly maximumBytes: number; readonly signal: AbortSignal },
): Promise<SourceAnswer> {
  const { statusCode: status = 0 } = answer;
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
  );
  const bytes = await readAnswer(answer, { maximumBytes, signal, place: shownAddress(url) });
  return { status, url: url.href, headers: Object.fromEntries(headers), bytes };
}

/** @throws as `SendSourceRequest` says */
function accepted(answer: SourceAnswer, { accepts = [] }: SourceRequest): SourceAnswer {
  const { status, headers } = answer;
  if ((status >= 200 && status < 300) || accepts.includes(status)) return answer;
  const place = shownAddress(new URL(answer.url));
  const seconds = parseRetryAfter(headers["retry-after"]);
  if (status === 401) throw new SignInRefused(`${place} no longer accepts the sign-in (status 401).`);
  if (status === 429 || (status === 503 && seconds !== undefined))
    throw new AppError("rate_limited", `${place} asks for fewer requests (status ${status}).`, {
      retryAfter: Math.min(seconds ?? USUAL_PAUSE, LONGEST_PAUSE),
    });
  if (status >= 500 || status === 408)
    throw new AppError("unavailable", `${place} reported a server error (status ${status}).`);
  if (status === 404 || status === 410) throw new AppError("not_found", `${place} was not found (status ${status}).`);
  if (status === 403) throw new AppError("forbidden", `This account has no access to ${place} (status 403).`);
  throw new AppError("invalid", `${place} refused the request (status ${status}).`);
}
