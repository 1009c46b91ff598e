import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { SignInRefused } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { SourceAnswer, SourceClient, SourceRequest } from "../../core/ports.js";
import { parseRetryAfter } from "../../lib/http-fetch.js";
import {
  ask,
  type Exchange,
  explain,
  type GuardedFetchOptions,
  placeOf,
  type Question,
  readAddress,
  redirectOf,
} from "./guarded-fetch.js";
import {
  addressesOfThisMachine,
  checkLiteral,
  destinationOf,
  guardedLookup,
  resolveBySystem,
} from "./guarded-lookup.js";
import { readAnswer } from "./read-answer.js";

const MOST_REDIRECTS = 5;
const TIMEOUT_MS = 120_000;
const STALL_MS = 30_000;
/** Seconds to wait where a source asks for fewer requests and does not say for how long. */
const USUAL_PAUSE = 30;
/** Seconds; whoever wants to be left alone for longer is asked again all the same. */
const LONGEST_PAUSE = 60 * 60;
const CREDENTIALS: ReadonlySet<string> = new Set(["authorization", "cookie", "x-api-key"]);

/** How connections reach their sources: with the guard of all that callers name, since they choose hosts as well. */
export function createSourceClient(options: GuardedFetchOptions): SourceClient {
  const { isOffline, userAgent, stallMs = STALL_MS, timeoutMs = TIMEOUT_MS } = options;
  const guard = { allowed: options.allowed, ownAddresses: options.ownAddresses ?? addressesOfThisMachine };
  const resolveName = options.resolveName ?? resolveBySystem;

  async function follow(first: URL, question: Question, exchange: Exchange): Promise<SourceAnswer> {
    let url = first;
    let asked = question;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      checkLiteral(destinationOf(url), guard);
      const answer = await ask(url, exchange, asked);
      const next = redirectOf(answer, url);
      if (next === null) return read(answer, url, exchange);
      answer.destroy();
      asked = redirected(asked, answer.statusCode ?? 0, next.origin === url.origin);
      url = next;
    }
    throw new AppError("invalid", `${placeOf(first)} was not read: it redirects more than ${MOST_REDIRECTS} times.`);
  }

  return {
    async send(request, { authorization, signal }) {
      refuseOffline(isOffline);
      const url = readAddress(request.url);
      const timeout = AbortSignal.timeout(timeoutMs);
      const stalled = new AbortController();
      const exchange = {
        userAgent,
        maximumBytes: request.maximumBytes ?? options.maximumBytes,
        stallMs,
        guard,
        resolveName,
        signal: AbortSignal.any([signal, timeout, stalled.signal]),
        stalled,
      };
      try {
        const answer = await follow(url, questionOf(request, authorization), exchange);
        return accepted(answer, request);
      } catch (error) {
        signal.throwIfAborted();
        throw explain(error, url, timeout.aborted || stalled.signal.aborted);
      }
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
        lookup(name, {}, (error, address) => (error ? reject(error) : resolve(String(address))));
      });
    },
  };
}

function refuseOffline(isOffline: boolean): void {
  if (isOffline)
    throw new AppError(
      "unsupported",
      "Nothing is fetched while RECOLLECT_OFFLINE is set. Start the service without it to sync connections.",
    );
}

function questionOf({ method, headers, body, isSigned = true }: SourceRequest, authorization: string | null): Question {
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

/** As browsers do: what is posted is asked for afterwards, and another host learns no secret. */
function redirected(question: Question, status: number, isSameOrigin: boolean): Question {
  const becomesGet = status === 303 || (status !== 307 && status !== 308 && question.method === "POST");
  const headers = Object.entries(question.headers ?? {}).filter(
    ([name]) =>
      (isSameOrigin || !CREDENTIALS.has(name)) &&
      (!becomesGet || (name !== "content-length" && name !== "content-type")),
  );
  return {
    ...question,
    headers: Object.fromEntries(headers),
    ...(becomesGet && { method: "GET", body: undefined }),
  };
}

async function read(answer: IncomingMessage, url: URL, { maximumBytes, signal }: Exchange): Promise<SourceAnswer> {
  const { statusCode: status = 0 } = answer;
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
  );
  const bytes = await readAnswer(answer, { maximumBytes, signal, place: placeOf(url) });
  return { status, url: url.href, headers: Object.fromEntries(headers), bytes };
}

/** @throws what `SendSourceRequest` says */
function accepted(answer: SourceAnswer, { accepts = [] }: SourceRequest): SourceAnswer {
  const { status, headers } = answer;
  if ((status >= 200 && status < 300) || accepts.includes(status)) return answer;
  const place = placeOf(new URL(answer.url));
  const seconds = parseRetryAfter(headers["retry-after"]);
  if (status === 401) throw new SignInRefused(`${place} does not take the sign-in any more (status 401).`);
  if (status === 429 || (status === 503 && seconds !== undefined))
    throw new AppError("rate_limited", `${place} asks for fewer requests (status ${status}).`, {
      retryAfter: Math.min(seconds ?? USUAL_PAUSE, LONGEST_PAUSE),
    });
  if (status >= 500 || status === 408)
    throw new AppError("unavailable", `${place} is out of order (status ${status}).`);
  if (status === 404 || status === 410) throw new AppError("not_found", `${place} was not found (status ${status}).`);
  if (status === 403) throw new AppError("forbidden", `${place} is not open to this account (status 403).`);
  throw new AppError("invalid", `${place} refused what it was asked (status ${status}).`);
}
