import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import type { ScriptedSource, SourceFault } from "./scripted-source.js";

interface ScriptedPage {
  title: string;
  text: string;
  editedAt: string;
  isInTrash: boolean;
  /** Not listed by the search, which lags and does not promise to list everything. */
  isUnlisted: boolean;
  /** The database to which it belongs as a row. */
  readonly source: string | null;
  /** Fetched separately, like the parts of long pages. */
  readonly parts: Map<string, string>;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type NotionFault = (SourceFault | { readonly kind: "garbage" }) & { readonly path?: RegExp };

/** The API of Notion as an integration sees it. */
export interface ScriptedNotion extends ScriptedSource {
  readonly pages: Map<string, ScriptedPage>;
  /** Existing data sources; their rows are pages. */
  readonly sources: Set<string>;
  /** Blocks of pages and blocks, for versions without Markdown. */
  readonly blocks: Map<string, readonly Readonly<Record<string, unknown>>[]>;
  /** Methods and paths of the requests. */
  readonly asked: string[];
  /** False: as before Markdown was available. */
  hasMarkdown: boolean;
  /** False: pages are listed without any details. */
  mayRead: boolean;
  /** Repeats the same cursor. */
  isLooping: boolean;
  /** The time of Notion's clock; null for the actual time. */
  clock: Date | null;
  putPage(id: string, title: string, text: string, more?: Partial<Pick<ScriptedPage, "fields" | "source">>): void;
  restore(id: string): Promise<void>;
  fail(fault: NotionFault, times: number): void;
}

export const NOTION_TOKEN = "ntn_example";

// Bodies as in the documentation at developers.notion.com for version 2025-09-03; no npm package has them as schemas.
const sort = z.strictObject({
  timestamp: z.literal("last_edited_time"),
  direction: z.enum(["ascending", "descending"]),
});
const part = { page_size: z.int().min(1).max(100).optional(), start_cursor: z.string().optional() };
const searchBody = z.strictObject({
  query: z.string().optional(),
  filter: z.strictObject({ property: z.literal("object"), value: z.enum(["page", "data_source"]) }).optional(),
  sort: sort.optional(),
  ...part,
});
const queryBody = z.strictObject({ sorts: z.array(sort).optional(), ...part });
const childrenQuery = z.strictObject({
  page_size: z.coerce.number().int().min(1).max(100).optional(),
  start_cursor: z.string().optional(),
});

export async function startNotion(pageSize = 100): Promise<ScriptedNotion> {
  const pages: ScriptedNotion["pages"] = new Map();
  const sources = new Set<string>();
  const blocks: ScriptedNotion["blocks"] = new Map();
  const asked: string[] = [];
  let faults: NotionFault[] = [];
  let made = 0;
  let cursors = 1;
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const tick = (): string => new Date((clock += 60_000)).toISOString();

  const listOf = (all: readonly unknown[], { page_size: size = 100, start_cursor: cursor = `${cursors}:0` }) => {
    const [run, start = "0"] = cursor.split(":");
    if (run !== String(cursors)) return { status: 400, body: { object: "error", code: "validation_error" } };
    const end = Number(start) + Math.min(size, pageSize);
    const hasMore = end < all.length;
    const next = notion.isLooping ? `${cursors}:0` : `${cursors}:${end}`;
    const results = all.slice(Number(start), end);
    const body = { object: "list", results, has_more: hasMore, next_cursor: hasMore ? next : null };
    return { status: 200, body };
  };
  const newestFirst = (all: readonly (readonly [string, ScriptedPage])[]) =>
    all
      .toSorted(([, one], [, other]) => (one.editedAt < other.editedAt ? 1 : -1))
      .map(([id, page]) => (notion.mayRead ? shown(id, page) : { object: "page", id }));
  const missing = { status: 404, body: { object: "error", code: "object_not_found" } };
  const refused = { status: 400, body: { object: "error", code: "validation_error", message: "No such body." } };

  function answer(method: string, url: URL, body: string): { status: number; body: unknown } {
    const path = url.pathname.replace(/^\/v1/, "");
    const [, kind = "", id = "", rest = ""] = /^\/(pages|blocks|data_sources)\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
    switch (`${method} /${kind === "" ? path.slice(1) : kind}${rest}`) {
      case "GET /users/me":
        return { status: 200, body: { object: "user", name: "Recollect", bot: { workspace_name: "Farm" } } };
      case "POST /search": {
        const { success, data } = searchBody.safeParse(JSON.parse(body));
        if (!success) return { ...refused, status: 418 };
        const ofSources = [...sources].map((one) => ({ object: "data_source", id: one }));
        const ofPages = [...pages].filter(([, page]) => !page.isUnlisted);
        return listOf(data.filter?.value === "page" ? newestFirst(ofPages) : ofSources, data);
      }
      case "POST /data_sources/query": {
        const { success, data } = queryBody.safeParse(JSON.parse(body));
        if (!success) return { ...refused, status: 418 };
        if (!sources.has(id)) return missing;
        return listOf(newestFirst([...pages].filter(([, { source, isInTrash }]) => source === id && !isInTrash)), data);
      }
      case "GET /pages/markdown": {
        if (!notion.hasMarkdown) return { status: 400, body: { code: "invalid_request_url" } };
        const piece = [...pages.values()].map(({ parts }) => parts.get(id)).find((text) => text !== undefined);
        const page = pages.get(id);
        if (piece !== undefined) return { status: 200, body: { markdown: piece, unknown_block_ids: [] } };
        if (page === undefined || page.isInTrash) return missing;
        const unknown = [...page.parts.keys()];
        return { status: 200, body: { object: "page_markdown", id, markdown: page.text, unknown_block_ids: unknown } };
      }
      case "GET /blocks/children": {
        const { success, data } = childrenQuery.safeParse(Object.fromEntries(url.searchParams));
        if (!success) return { ...refused, status: 418 };
        const page = pages.get(id);
        const own = page === undefined || page.isInTrash ? [] : [block("paragraph", { rich_text: said(page.text) })];
        const all = blocks.get(id) ?? own;
        return all.length === 0 ? missing : listOf(all, data);
      }
      default:
        return { status: 418, body: { message: `${method} ${url.pathname}` } };
    }
  }

  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? "/", "http://notion");
      asked.push(`${request.method} ${url.pathname}`);
      const send = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
        const date = notion.clock === null ? {} : { date: notion.clock.toUTCString() };
        response.writeHead(status, { "content-type": "application/json", ...date, ...headers });
        response.end(JSON.stringify(value));
      };
      const body = await bodyOf(request);
      const at = faults.findIndex(({ path }) => path === undefined || path.test(url.pathname));
      const [fault] = at === -1 ? [] : faults.splice(at, 1);
      if (fault?.kind === "status") {
        const pause = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
        return send(fault.status, { object: "error" }, pause);
      }
      if (fault?.kind === "garbage") return void response.end("{oops");
      if (fault?.kind === "cut") {
        response.writeHead(200, { "content-length": "1000" });
        return void response.write("{", () => response.destroy());
      }
      if (request.headers.authorization !== `Bearer ${NOTION_TOKEN}`) return send(401, { code: "unauthorized" });
      if (request.headers["notion-version"] !== "2025-09-03") return send(400, { code: "missing_version" });
      const { status, body: value } = answer(request.method ?? "", url, body);
      send(status, value);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const change = (id: string, changed: Partial<ScriptedPage>): Promise<void> => {
    const page = pages.get(id);
    if (page) Object.assign(page, changed, { editedAt: tick() });
    return Promise.resolve();
  };
  const notion: ScriptedNotion = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    sources,
    blocks,
    asked,
    hasMarkdown: true,
    mayRead: true,
    isLooping: false,
    clock: null,
    requests: () => asked.length,
    putPage(id, title, text, { fields = {}, source = null } = {}) {
      if (source !== null) sources.add(source);
      const page = { title, text, source, fields, isInTrash: false, isUnlisted: false };
      pages.set(id, { ...page, editedAt: tick(), parts: new Map() });
    },
    put(name, text) {
      const id = `page-${(made += 1)}`;
      notion.putPage(id, name, text);
      return Promise.resolve(id);
    },
    edit: (id, text) => change(id, { text }),
    rename: (id, title) => change(id, { title }),
    remove: (id) => change(id, { isInTrash: true }),
    restore: (id) => change(id, { isInTrash: false }),
    fail(fault, times) {
      if (fault.kind === "expired") cursors += 1;
      else faults = [...faults, ...Array.from({ length: times }, () => fault)];
    },
    heal: () => void (faults = []),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return notion;
}

export const said = (text: string) => [{ plain_text: text }];

let blockIds = 0;
export function block(
  type: string,
  held: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
) {
  return { object: "block", id: `block-${(blockIds += 1)}`, type, has_children: false, [type]: held, ...more };
}

function shown(id: string, { title, editedAt, isInTrash, fields }: ScriptedPage) {
  return {
    object: "page",
    id,
    last_edited_time: editedAt,
    in_trash: isInTrash,
    url: `https://www.notion.so/${id}`,
    properties: { Name: { id: "title", type: "title", title: said(title) }, ...fields },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
