import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { AppError } from "../../core/errors.js";
import { codeOf } from "../../lib/error-code.js";
import type { AllowedPlaces } from "../../lib/allowed-places.js";
import {
  addressesOfThisMachine,
  checkLiteral,
  destinationOf,
  type FetchGuard,
  guardedLookup,
  noSuchHost,
  resolveBySystem,
  type ResolveName,
} from "./guarded-lookup.js";
import { ACCEPTED_ENCODINGS } from "./read-answer.js";

const MOST_REDIRECTS = 5;
/** Characters; only attackers have a use for longer ones. */
const LONGEST_ADDRESS = 8_192;
const MOST_HEADER_BYTES = 64 * 1024;
/** These identify the caller: no other host receives them. */
const CREDENTIALS: ReadonlySet<string> = new Set(["authorization", "cookie", "x-api-key"]);

export interface GuardedFetchOptions {
  /** Private places that may be reached all the same. */
  readonly allowed: AllowedPlaces;
  readonly isOffline: boolean;
  /** The service's user agent, without line breaks. */
  readonly userAgent: string;
  /** Limit of one file, both as received and after decompression. */
  readonly maximumBytes: number;
  /** For the whole fetch, including redirects, in milliseconds. */
  readonly timeoutMs?: number;
  /** Longest silence of a server, in milliseconds. */
  readonly stallMs?: number;
  readonly resolveName?: ResolveName;
  /** The addresses of this machine. Tests pass their own. */
  readonly ownAddresses?: () => readonly string[];
}

interface Exchange extends Required<Pick<GuardedFetchOptions, "userAgent" | "stallMs">> {
  readonly guard: FetchGuard;
  readonly resolveName: ResolveName;
  /** Combines the caller's, the overall time limit, and `stalled`. */
  readonly signal: AbortSignal;
  /** Ends the fetch when the server falls silent. */
  readonly stalled: AbortController;
}

/** Reads a response to its end, while its exchange can still be aborted. */
type ReadAnswer<T> = (answer: IncomingMessage, url: URL, signal: AbortSignal) => Promise<T>;

/**
 * Requests addresses given by strangers, and follows redirects. Every connection, including those of redirects, is checked as it
 * is made; addresses in networks that only this machine reaches are refused unless the owner allowed them. Proxies from the
 * environment are not used, since they would decide where a name leads.
 */
export function createGuardedExchange({
  allowed,
  userAgent,
  stallMs,
  timeoutMs,
  ownAddresses = addressesOfThisMachine,
  resolveName = resolveBySystem,
}: GuardedFetchOptions & { readonly stallMs: number; readonly timeoutMs: number }) {
  const guard = { allowed, ownAddresses };

  async function exchange<T>(
    first: URL,
    question: FetchQuestion,
    signal: AbortSignal,
    read: ReadAnswer<T>,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const stalled = new AbortController();
    const ends = AbortSignal.any([signal, timeout, stalled.signal]);
    const how: Exchange = { userAgent, stallMs, guard, resolveName, signal: ends, stalled };
    let url = first;
    let asked = question;
    try {
      for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
        checkLiteral(destinationOf(url), guard);
        const answer = await ask(url, how, asked);
        const next = redirectOf(answer, url);
        if (next === null) return await read(answer, url, ends);
        answer.destroy();
        asked = redirected(asked, answer.statusCode ?? 0, { from: url, to: next });
        url = next;
      }
      throw new AppError(
        "invalid",
        `${shownAddress(first)} was not fetched: it redirects more than ${MOST_REDIRECTS} times.`,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw explain(error, url, timeout.aborted || stalled.signal.aborted);
    }
  }
  return { exchange, guard, resolveName };
}

/** @throws AppError `invalid` for anything that is not an address to fetch */
export function readAddress(text: string, base?: URL): URL {
  if (text.length > LONGEST_ADDRESS || !URL.canParse(text, base?.href))
    throw new AppError("invalid", "The address was not fetched: it is not a valid URL.");
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new AppError(
      "invalid",
      `The address was not fetched: only http and https are supported, not ${url.protocol}//.`,
    );
  if (url.username !== "" || url.password !== "")
    throw new AppError(
      "invalid",
      "The address was not fetched: it contains a user name or a password. Leave them out.",
    );
  return url;
}

/** The parts of a request besides its address. */
export interface FetchQuestion {
  readonly method?: string;
  /** Replace the default headers for pages; in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

const OF_A_PAGE = { accept: "text/html,application/xhtml+xml,text/markdown;q=0.9,*/*;q=0.8" };

function ask(
  url: URL,
  { guard, resolveName, signal, stalled, stallMs, userAgent }: Exchange,
  { method = "GET", headers = OF_A_PAGE, body }: FetchQuestion = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const asking = send(url, {
      lookup: guardedLookup(resolveName, guard, destinationOf(url)),
      signal,
      timeout: stallMs,
      maxHeaderSize: MOST_HEADER_BYTES,
      // One connection per response: nothing is shared between callers.
      agent: false,
      method,
      headers: { "accept-encoding": ACCEPTED_ENCODINGS, "user-agent": userAgent, ...headers },
    });
    asking.on("response", resolve);
    asking.on("timeout", () => stalled.abort());
    asking.on("error", reject);
    // Without listeners neither a response nor an error would ever arrive.
    asking.on("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(
        new AppError("invalid", `${shownAddress(url)} was not fetched: it tries to switch to another protocol (101).`),
      );
    });
    asking.on("close", () => reject(new Error("The connection ended without an answer.")));
    asking.end(body);
  });
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, url: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return null;
  const next = readAddress(headers.location, url);
  if (next.hash === "") next.hash = url.hash;
  return next;
}

/**
 * As in browsers: a redirected POST becomes a GET, and another host receives no secret.
 * @throws AppError `invalid` where the body would also have to be sent to another host
 */
function redirected(
  question: FetchQuestion,
  status: number,
  { from, to }: { readonly from: URL; readonly to: URL },
): FetchQuestion {
  const isSameOrigin = from.origin === to.origin;
  const becomesGet = status === 303 || (status !== 307 && status !== 308 && question.method === "POST");
  if (!becomesGet && !isSameOrigin && question.body !== undefined)
    throw new AppError(
      "invalid",
      `${shownAddress(from)} was not fetched: it redirects the request body to another host.`,
    );
  if (question.headers === undefined) return question;
  const headers = Object.entries(question.headers).filter(
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

/** Without the query, which may contain a page's access token. */
export function shownAddress({ protocol, host, pathname }: URL): string {
  const path = pathname.length > 200 ? `${pathname.slice(0, 200)}…` : pathname;
  return `${protocol}//${host}${path}`;
}

const CERTIFICATE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO$|HOSTNAME_MISMATCH)/;

function explain(error: unknown, url: URL, isLate: boolean): unknown {
  if (error instanceof AppError) return error;
  const place = shownAddress(url);
  const unavailable = (text: string) => new AppError("unavailable", `${place} ${text}`, { cause: error });
  if (isLate) return unavailable("was not fetched: it did not answer completely in time.");
  const code = codeOf(error) ?? "";
  if (code === "ENOTFOUND") return noSuchHost(url.hostname);
  if (CERTIFICATE.test(code))
    return new AppError("invalid", `${place} was not fetched: its certificate is not valid (${code}).`, {
      cause: error,
    });
  if (code === "ECONNREFUSED") return unavailable("was not fetched: nothing answers there.");
  if (code.startsWith("HPE_"))
    return new AppError("invalid", `${place} was not fetched: its answer is not valid HTTP (${code}).`, {
      cause: error,
    });
  return unavailable(`was not fetched: the connection broke${code === "" ? "" : ` (${code})`}.`);
}
