import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";

interface ScriptedPage {
  title: string;
  text: string;
  editedAt: string;
  isInTrash: boolean;
  /** Comes one by one, as parts of long pages do. */
  readonly parts: Map<string, string>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The API of Notion as an integration sees it. */
export interface ScriptedNotion {
  readonly url: string;
  readonly pages: Map<string, ScriptedPage>;
  readonly requests: string[];
  put(id: string, title: string, text: string, fields?: Readonly<Record<string, unknown>>): void;
  edit(id: string, change: Partial<Pick<ScriptedPage, "title" | "text">>): void;
  fail(status: number, headers: Readonly<Record<string, string>>, times: number): void;
  close(): Promise<void>;
}

export const NOTION_TOKEN = "ntn_example";
const searchBody = z.strictObject({
  query: z.string().optional(),
  filter: z.strictObject({ property: z.literal("object"), value: z.enum(["page", "data_source"]) }),
  sort: z.strictObject({ timestamp: z.literal("last_edited_time"), direction: z.enum(["ascending", "descending"]) }),
  page_size: z.int().min(1).max(100),
  start_cursor: z.string().optional(),
});

export async function startNotion(pageSize = 100): Promise<ScriptedNotion> {
  const pages: ScriptedNotion["pages"] = new Map();
  const requests: string[] = [];
  const faults: { status: number; headers: Readonly<Record<string, string>> }[] = [];
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const tick = (): string => new Date((clock += 60_000)).toISOString();
  const server = createServer((request, response) => {
    void (async () => {
      const path = (request.url ?? "").replace(/^\/v1/, "");
      requests.push(`${request.method} ${path}`);
      const send = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(value));
      };
      const fault = faults.shift();
      if (fault) return send(fault.status, { object: "error" }, fault.headers);
      if (request.headers.authorization !== `Bearer ${NOTION_TOKEN}`) return send(401, { code: "unauthorized" });
      if (request.headers["notion-version"] !== "2025-09-03") return send(400, { code: "missing_version" });
      if (path === "/users/me")
        return send(200, { object: "user", name: "Recollect", bot: { workspace_name: "Farm" } });
      if (path === "/search" && request.method === "POST") {
        const body = searchBody.safeParse(JSON.parse(await bodyOf(request)));
        if (!body.success) return send(400, { code: "validation_error" });
        const sorted = [...pages].toSorted(([, one], [, other]) => (one.editedAt < other.editedAt ? 1 : -1));
        const start = Number(body.data.start_cursor ?? 0);
        const size = Math.min(body.data.page_size, pageSize);
        const results = sorted.slice(start, start + size).map(([id, page]) => shown(id, page));
        const hasMore = start + size < sorted.length;
        return send(200, {
          object: "list",
          results,
          has_more: hasMore,
          next_cursor: hasMore ? String(start + size) : null,
        });
      }
      const [, id = "", part] = /^\/pages\/([^/]+)(\/markdown)?$/.exec(path) ?? [];
      const page = pages.get(id);
      const piece = [...pages.values()].map(({ parts }) => parts.get(id)).find((text) => text !== undefined);
      if (part !== undefined && piece !== undefined) return send(200, { markdown: piece, unknown_block_ids: [] });
      if (!page) return send(404, { code: "object_not_found" });
      if (part === undefined) return send(200, shown(id, page));
      send(200, { object: "page_markdown", id, markdown: page.text, unknown_block_ids: [...page.parts.keys()] });
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    requests,
    put: (id, title, text, fields = {}) =>
      void pages.set(id, { title, text, editedAt: tick(), isInTrash: false, parts: new Map(), fields }),
    edit(id, change) {
      const page = pages.get(id);
      if (page) Object.assign(page, change, { editedAt: tick() });
    },
    fail: (status, headers, times) => void faults.push(...Array.from({ length: times }, () => ({ status, headers }))),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function shown(id: string, { title, editedAt, isInTrash, fields }: ScriptedPage) {
  return {
    object: "page",
    id,
    last_edited_time: editedAt,
    in_trash: isInTrash,
    url: `https://www.notion.so/${id}`,
    properties: { Name: { id: "title", type: "title", title: [{ plain_text: title }] }, ...fields },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
