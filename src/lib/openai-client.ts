import type { OpenAI } from "openai";
import { createFetch } from "./http-fetch.js";

export interface OpenAiClientOptions {
  /** Any service with an OpenAI-compatible API, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Undefined for a service without keys. */
  readonly apiKey: string | undefined;
  /** Time limit for one request and its answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum length of an answer, in bytes. */
  readonly maximumBytes: number;
}

/** A client that does not retry, sends nothing but what it is given, and logs nothing. Loads the package when called. */
export async function createOpenAiClient(options: OpenAiClientOptions): Promise<OpenAI> {
  const { OpenAI } = await import("openai");
  const { baseUrl, apiKey, timeoutMs, maximumBytes } = options;
  return new OpenAI({
    baseURL: baseUrl,
    // The package insists on a key; a service without keys gets no header.
    apiKey: apiKey ?? "none",
    ...(apiKey === undefined ? { defaultHeaders: { Authorization: null } } : {}),
    organization: null,
    project: null,
    maxRetries: 0,
    // Its own limit ends with the headers; the fetch below covers the body too.
    timeout: timeoutMs * 2,
    fetch: createFetch({ timeoutMs, maximumBytes }),
    // It would write to standard output, which belongs to the protocol.
    logLevel: "off",
  });
}
