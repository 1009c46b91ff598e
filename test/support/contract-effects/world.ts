import { expect } from "vitest";
import type { OpenedRest, RestAnswer } from "../rest.js";
import type { ScriptedModel } from "../scripted-model.js";

type Headers = Record<string, string>;
type Body = Readonly<Record<string, unknown>>;
type Json = RestAnswer["body"];

/** A service as a probe sees it, with a container for the probe alone. */
export interface World {
  readonly rest: OpenedRest;
  readonly tag: string;
  send(method: string, path: string, body?: unknown, headers?: Headers): Promise<RestAnswer>;
  /** The body of a response that is not a refusal. */
  ok(method: string, path: string, body?: unknown, headers?: Headers): Promise<Json>;
  /** The body of a response with this status. */
  gives(status: number, method: string, path: string, body?: unknown, headers?: Headers): Promise<Json>;
  /** Adds a document to the container, waits until it is processed, and returns its id. */
  add(content: string, more?: Body): Promise<string>;
  document(id: string): Promise<Json>;
  /** Creates memories in the container from their texts or fields. */
  remember(...memories: readonly (string | Body)[]): Promise<Json[]>;
  /** Results of a search in the container, whatever their similarity. */
  find(q: string, more?: Body): Promise<Json[]>;
  /** Entries of the list of memories of the container. */
  entries(more?: Body): Promise<Json[]>;
  /** Headers with a new key that can access only this container. */
  scopedKey(more?: Body): Promise<Headers>;
}

/** A service with a language model that answers as scripted. */
export interface ModelWorld extends World {
  readonly model: ScriptedModel;
}

/** The texts of results: of memories, or else of chunks. */
export const textsOf = (results: readonly Json[]): string[] => results.map(({ memory, chunk }) => memory ?? chunk);

export function openWorld(rest: OpenedRest, tag: string): World {
  const send: World["send"] = (method, path, body, headers) => rest.send(method, path, body, headers);
  const ok: World["ok"] = async (...request) => {
    const answer = await send(...request);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(400);
    return answer.body;
  };
  return {
    rest,
    tag,
    send,
    ok,
    async gives(status, ...request) {
      const answer = await send(...request);
      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
      return answer.body;
    },
    async add(content, more = {}) {
      const { id } = await ok("POST", "/v3/documents", { content, containerTag: tag, ...more });
      await rest.settle();
      return id;
    },
    document: (id) => ok("GET", `/v3/documents/${encodeURIComponent(id)}`),
    async remember(...memories) {
      const made = memories.map((memory) => (typeof memory === "string" ? { content: memory } : memory));
      return (await ok("POST", "/v4/memories", { containerTag: tag, memories: made })).memories;
    },
    async find(q, more = {}) {
      return (await ok("POST", "/v4/search", { q, containerTag: tag, threshold: 0, ...more })).results;
    },
    async entries(more = {}) {
      return (await ok("POST", "/v4/memories/list", { containerTags: [tag], ...more })).memoryEntries;
    },
    async scopedKey(more = {}) {
      const { key } = await ok("POST", "/v3/auth/scoped-key", { containerTag: tag, ...more });
      return { authorization: `Bearer ${key}` };
    },
  };
}
