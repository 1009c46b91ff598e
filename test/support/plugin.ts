import * as z from "zod";
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

/** The limit of most plugins, in milliseconds (contract 7.8). */
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

/** The container tag that the plugins share for one repository: `repo_<name>__<16 hexadecimal digits>`. */
export const REPO = "repo_recollect__0123456789abcdef";

/** How long a prompt waits for what is known, in milliseconds. */
export const PROFILE_LIMIT = 3_000;

/** What plugins read of a profile: plain strings, and results that have a text, a score and a date. */
export const profileAnswer = z.object({
  profile: z.object({ static: z.array(z.string()), dynamic: z.array(z.string()) }),
  searchResults: z.object({
    results: z.array(
      z.object({
        id: z.string(),
        memory: z.string().optional(),
        chunk: z.string().optional(),
        similarity: z.number(),
        filepath: z.string().nullable(),
        updatedAt: z.iso.datetime(),
      }),
    ),
    total: z.number(),
    timing: z.number(),
  }),
});

/** What plugins read of an added document. */
export const receipt = z.object({ id: z.string().min(1), status: z.enum(["queued", "done"]) });

/** Adds one text to the repository, as the plugin would, and waits until it can be found. */
export async function teach(
  service: ClientService,
  plugin: Plugin,
  { content, ...more }: { readonly content: string; readonly [field: string]: unknown },
): Promise<string> {
  const { body } = await plugin.call("POST", "/v3/documents", { content, containerTag: REPO, ...more });
  await service.settle();
  return receipt.parse(body).id;
}

/** All texts of search results, as a plugin shows them. */
export function textsOf(results: readonly { memory?: string | undefined; chunk?: string | undefined }[]): string {
  return results.map(({ memory, chunk }) => memory ?? chunk).join("\n");
}
