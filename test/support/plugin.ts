import * as z from "zod";
import type { ClientService } from "./client-service.js";

export interface PluginAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, a text of another type, or undefined without a body. */
  readonly body: any;
}

/** A plugin as seen by the service: its headers, its time limit, and no redirects. */
export interface Plugin {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Sends one request like the plugin.
   * @param limit milliseconds after which the plugin, and this call, give up
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

/** The container tag that the plugins share for a repository: `repo_<name>__<16 hexadecimal digits>`. */
export const REPO = "repo_recollect__0123456789abcdef";

/** How long a prompt waits for the known memories, in milliseconds. */
export const PROFILE_LIMIT = 3_000;

/** What plugins read from a profile: plain strings, and results with a text, a score and a date. */
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

/** What plugins read from an added document. */
export const receipt = z.object({ id: z.string().min(1), status: z.enum(["queued", "done"]) });

/** Adds one text to the repository, like the plugin, and waits until it can be found. */
export async function teach(
  service: ClientService,
  plugin: Plugin,
  { content, ...more }: { readonly content: string; readonly [field: string]: unknown },
): Promise<string> {
  const { body } = await plugin.call("POST", "/v3/documents", { content, containerTag: REPO, ...more });
  await service.settle();
  return receipt.parse(body).id;
}

/** All texts of search results, as displayed by a plugin. */
export function textsOf(results: readonly { memory?: string | undefined; chunk?: string | undefined }[]): string {
  return results.map(({ memory, chunk }) => memory ?? chunk).join("\n");
}
