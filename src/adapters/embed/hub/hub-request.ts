import { lookup } from "node:dns/promises";
import { AppError } from "../../../core/errors.js";
import { describeBreak } from "../../../lib/api-failure.js";
import { parseRetryAfter } from "../../../lib/http-fetch.js";
import { isIpAddress, isPrivateAddress } from "../../../lib/ip-address.js";

/** Where models are downloaded from. */
export interface Hub {
  /** Implements the Hugging Face hub protocol, e.g. `https://huggingface.co`; without a trailing slash. */
  readonly baseUrl: string;
  /** For private models; sent only to the hub itself. */
  readonly token: string | undefined;
}

export interface HubRequest {
  readonly method: "GET" | "HEAD";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** True for a response that already tells enough about the file, so that its redirect is not followed. */
  readonly isEnough?: (headers: Headers) => boolean;
}

export interface HubAnswer {
  /** Who sent it: the hub, or a host it redirected to. */
  readonly host: string;
  readonly status: number;
  /** Headers of every step, the first step with a header taking precedence. */
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
}

const MOST_HOPS = 8;
/** From sending the request to receiving the headers, in milliseconds. */
const ANSWER_TIMEOUT_MS = 30_000;
/** What a hub says about a file when it redirects to its content. */
const KEPT_HEADERS = ["x-repo-commit", "x-linked-etag", "x-linked-size"];

/**
 * Queries the hub and follows its redirects. The token is sent only to the hub, and a hub on the internet cannot redirect into
 * the local network.
 * @throws AppError `unavailable` when there is no response or the redirects lead nowhere, the reason of the signal
 */
export async function askHub(hub: Hub, request: HubRequest): Promise<HubAnswer> {
  const kept = new Headers();
  let url = new URL(request.url);
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const answer = await ask(hub, url, request);
    for (const name of KEPT_HEADERS) {
      const value = answer.headers.get(name);
      if (value !== null && !kept.has(name)) kept.set(name, value);
    }
    const location = isRedirect(answer.status) ? answer.headers.get("location") : null;
    if (location === null || request.isEnough?.(kept)) return withKept(answer, url, kept);
    await answer.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (next === undefined || !(await mayFollow(new URL(hub.baseUrl), next)))
      throw new AppError(
        "unavailable",
        `The model hub ${hub.baseUrl} redirects to an address that is not followed: ${location.slice(0, 200)}`,
      );
    url = next;
  }
  throw new AppError("unavailable", `The model hub ${hub.baseUrl} redirects in circles. Check HF_ENDPOINT.`);
}

/** Whether a redirect of this hub may be followed. @param resolve tests pass their own */
export async function mayFollow(
  hub: URL,
  target: URL,
  resolve: (host: string) => Promise<readonly string[]> = addressesOf,
): Promise<boolean> {
  if (target.protocol !== "https:" && target.protocol !== "http:") return false;
  if (target.origin === hub.origin) return true;
  if (hub.protocol === "https:" && target.protocol !== "https:") return false;
  const isInside = async ({ hostname }: URL): Promise<boolean> => (await resolve(hostname)).some(isPrivateAddress);
  return !(await isInside(target)) || (await isInside(hub));
}

async function addressesOf(hostname: string): Promise<readonly string[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIpAddress(host)) return [host];
  // An unknown name fails when it is connected to, with a better message.
  return lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
}

async function ask(hub: Hub, url: URL, { method, headers, signal }: HubRequest): Promise<Response> {
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new DOMException("The hub did not answer in time.", "TimeoutError")),
    ANSWER_TIMEOUT_MS,
  );
  const isHub = url.origin === new URL(hub.baseUrl).origin;
  try {
    return await fetch(url, {
      method,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      headers: {
        "user-agent": "recollect",
        // Sizes and ranges are the file's only if nothing is compressed on the way.
        "accept-encoding": "identity",
        ...headers,
        ...(isHub && hub.token !== undefined ? { authorization: `Bearer ${hub.token}` } : {}),
      },
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new AppError(
      "unavailable",
      `The model hub at ${url.host} ${describeBreak(error, { expected: "a model", addressSetting: "HF_ENDPOINT" })}`,
      { cause: error, paths: [`at ${url.host}`] },
    );
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What an unsuccessful response means.
 * @returns AppError `invalid` for what only a person can change, `unavailable` for what is temporary
 */
export function describeRefusal(hub: Hub, { host, status, headers }: HubAnswer, model: string): AppError {
  const code = headers.get("x-error-code") ?? "";
  const at = `the model hub ${hub.baseUrl}`;
  // Its addresses are valid only for a while; the hub gives a new one each time.
  if (host !== new URL(hub.baseUrl).host && status >= 400 && status < 500 && status !== 429)
    return new AppError(
      "unavailable",
      `${host}, which hosts the files of ${model}, refused to provide them (status ${status}).`,
    );
  if (code === "GatedRepo" || status === 403)
    return new AppError(
      "invalid",
      `${model} is gated at ${at}. Accept its conditions there, and set HF_TOKEN to a token of that account.`,
    );
  if (code === "RevisionNotFound")
    return new AppError("invalid", `${model} has no such revision at ${at}. Correct RECOLLECT_EMBEDDING_MODEL.`);
  if (status === 401 || code === "RepoNotFound")
    return new AppError(
      "invalid",
      hub.token === undefined
        ? `There is no public model ${model} at ${at}. Correct RECOLLECT_EMBEDDING_MODEL, or set HF_TOKEN if it is private.`
        : `There is no model ${model} at ${at}, or HF_TOKEN may not read it.`,
    );
  if (status === 404)
    return new AppError("invalid", `${model} was not found at ${at}. Correct RECOLLECT_EMBEDDING_MODEL.`);
  const retryAfter = parseRetryAfter(headers.get("retry-after"));
  const options = retryAfter === undefined ? {} : { retryAfter };
  if (status === 429)
    return new AppError("unavailable", `The model hub ${hub.baseUrl} asks for fewer requests.`, options);
  if (status >= 500 || status === 408)
    return new AppError(
      "unavailable",
      `The model hub ${hub.baseUrl} reported a server error (status ${status}).`,
      options,
    );
  return new AppError(
    "invalid",
    `The model hub ${hub.baseUrl} refused ${model} (status ${status}). Check HF_ENDPOINT.`,
  );
}

function withKept(answer: Response, { host }: URL, kept: Headers): HubAnswer {
  const headers = new Headers(answer.headers);
  for (const [name, value] of kept) headers.set(name, value);
  return { host, status: answer.status, headers, body: answer.body };
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
