import type { ClientService } from "./client-service.js";

export interface PluginAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, a text of another type, or undefined when there is no body. */
  readonly body: any;
}

/** A plugin as the service sees it: its headers, its own time limit, and no redirect is followed. */
export interface Plugin {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Sends one request as the plugin does.
   * @param limit after so many milliseconds the plugin gives up, and so does this
   */
  call(method: string, path: string, body?: unknown, limit?: number): Promise<PluginAnswer>;
}

/** The limit of most plugins, in milliseconds (clients.md §3). */
const USUAL_LIMIT = 30_000;

export function openPlugin(
  service: ClientService,
  { key = service.key, ...more }: Readonly<Record<string, string>> = {},
): Plugin {
  const headers = { authorization: `Bearer ${key}`, ...more };
  return {
    headers,
    async call(method, path, body, limit = USUAL_LIMIT) {
      const isForm = body instanceof FormData;
      const answer = await fetch(service.url + path, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(limit),
        headers: isForm ? headers : { "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.includes("application/json");
      return {
        status: answer.status,
        headers: answer.headers,
        body: text === "" ? undefined : isJson ? JSON.parse(text) : text,
      };
    },
  };
}
