import type { OpenAI } from "openai";
import { createFetch } from "./http-fetch.js";

export interface OpenAiClientOptions {
  /** Any service that speaks OpenAI's API, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Undefined for a service that needs none. */
  readonly apiKey: string | undefined;
  /** Limit of one request with its answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest answer that is read, in bytes. */
  readonly maximumBytes: number;
}

/** A client that tries once, sends nothing but what it is told, and writes nothing. Loads the package when it is called. */
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
    // Its own limit ends with the headers; the fetch below watches the body too.
    timeout: timeoutMs * 2,
    fetch: createFetch({ timeoutMs, maximumBytes }),
    // It would write to standard output, which belongs to the protocol.
    logLevel: "off",
  });
}
