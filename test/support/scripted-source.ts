import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import { CheckpointExpired, ItemGone, ItemSkipped } from "../../src/core/connections/connector-errors.js";
import type { ChangePage, Connector, SourceAccess, SourceItem } from "../../src/core/ports.js";

/** Controls common to all scripted sources, so that one suite can drive all of them. */
export interface ScriptedSource {
  readonly url: string;
  /** Number of requests so far, including refused ones. */
  requests(): number;
  /** @returns the id of the new entry */
  put(name: string, text: string): Promise<string>;
  edit(id: string, text: string): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Refuses this many of the next requests. */
  fail(fault: SourceFault, times: number): void;
  heal(): void;
  close(): Promise<void>;
}

export type SourceFault =
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: "cut" }
  | { readonly kind: "expired" }
  /** No fault: a later request fails. */
  | { readonly kind: "pass" };

interface Entry {
  name: string;
  text: string;
  version: number;
}

/** A made-up provider with a change log: the shortest possible connector, and its source. */
export interface ExampleSource extends ScriptedSource {
  /** Ids whose reading is refused with 403. */
  readonly forbidden: Set<string>;
  /** Its contents, by id. */
  readonly entries: ReadonlyMap<string, { readonly name: string; readonly text: string }>;
  /** Number of reads of each id. */
  readonly reads: Map<string, number>;
  readonly connector: Connector;
}

export async function startExampleSource(options: { readonly hasFeed: boolean }): Promise<ExampleSource> {
  const entries = new Map<string, Entry>();
  const log: string[] = [];
  const forbidden = new Set<string>();
  const reads = new Map<string, number>();
  let made = 0;
  let faults: SourceFault[] = [];
  let requests = 0;
  let oldest = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    };
    const fault = faults.shift();
    if (fault?.kind === "cut") return void response.destroy();
    if (fault?.kind === "status") {
      const { retryAfter } = fault;
      return answer(fault.status, {}, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
    }
    const url = new URL(request.url ?? "/", "http://source");
    if (request.headers.authorization !== "key good") return answer(401, {});
    if (url.pathname === "/items") {
      const after = url.searchParams.get("after") ?? "";
      const all = [...entries].filter(([id]) => id > after).sort(([one], [other]) => (one < other ? -1 : 1));
      const page = all.slice(0, PAGE).map(([id, { name, version }]) => ({ id, name, version }));
      return answer(200, { items: page, isLast: all.length <= PAGE, head: log.length });
    }
    if (url.pathname === "/changes") {
      const since = Number(url.searchParams.get("since"));
      if (since < oldest) return answer(410, {});
      const ids = log.slice(since, since + PAGE);
      const items = ids.map((id) => {
        const entry = entries.get(id);
        return entry ? { id, name: entry.name, version: entry.version } : { id, removed: true };
      });
      return answer(200, { items, next: since + ids.length, isLast: since + ids.length >= log.length });
    }
    const id = url.pathname.slice("/items/".length);
    if (forbidden.has(id)) return answer(403, {});
    const entry = entries.get(id);
    if (!entry) return answer(404, {});
    reads.set(id, (reads.get(id) ?? 0) + 1);
    answer(200, { text: entry.text });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const change = (id: string, how: (entry: Entry) => void): Promise<void> => {
    const entry = entries.get(id);
    if (entry) {
      how(entry);
      log.push(id);
    }
    return Promise.resolve();
  };
  return {
    url,
    forbidden,
    entries,
    reads,
    connector: createExampleConnector(url, options.hasFeed),
    requests: () => requests,
    put(name, text) {
      const id = `item-${String((made += 1)).padStart(6, "0")}`;
      entries.set(id, { name, text, version: 1 });
      log.push(id);
      return Promise.resolve(id);
    },
    edit: (id, text) =>
      change(id, (entry) => {
        entry.text = text;
        entry.version += 1;
      }),
    rename: (id, name) => change(id, (entry) => void (entry.name = name)),
    remove(id) {
      if (entries.delete(id)) log.push(id);
      return Promise.resolve();
    },
    fail(fault, times) {
      if (fault.kind === "expired") oldest = log.length;
      else faults = [...faults, ...Array.from({ length: times }, () => fault)];
    },
    heal() {
      faults = [];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const PAGE = 5;
const itemSchema = z.object({
  id: z.string(),
  name: z.string().optional(),
  version: z.number().optional(),
  removed: z.boolean().optional(),
});
const checkpointSchema = z.union([
  z.object({ phase: z.literal("listing"), after: z.string(), parked: z.number() }),
  z.object({ phase: z.literal("changes"), since: z.number() }),
]);

/** A complete connector: all that a new provider needs besides its entry in the table. */
function createExampleConnector(url: string, hasFeed: boolean): Connector {
  const ask = async (access: SourceAccess, path: string, accepts: readonly number[] = []) => {
    const headers = { authorization: `key ${access.secrets["apiKey"] ?? ""}` };
    const answer = await access.request({ url: `${addressOf(access)}${path}`, headers, accepts });
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.bytes).toString("utf8")) as unknown };
  };
  const addressOf = ({ settings }: SourceAccess): string => String(settings["url"] ?? url);
  const toItem = ({ id, name = "", version = 0 }: z.output<typeof itemSchema>): SourceItem => ({
    id,
    version: String(version),
    title: name,
    address: `${url}/show/${id}`,
    path: null,
  });

  async function* list(
    access: SourceAccess,
    from: { after: string; parked: number } | null,
  ): AsyncIterable<ChangePage> {
    let after = from?.after ?? "";
    let parked = from?.parked ?? null;
    for (let isFirst = from === null; ; isFirst = false) {
      const { body } = await ask(access, `/items?after=${after}`);
      const page = z.object({ items: z.array(itemSchema), isLast: z.boolean(), head: z.number() }).parse(body);
      parked ??= page.head;
      after = page.items.at(-1)?.id ?? after;
      const goesOn = { phase: "listing", after, parked };
      const items = page.items.map((one) => ({ kind: "upsert" as const, item: toItem(one) }));
      const checkpoint = page.isLast ? (hasFeed ? { phase: "changes", since: parked } : null) : goesOn;
      yield { kind: "listing", isFirst, isLast: page.isLast, items, checkpoint };
      if (page.isLast) return;
    }
  }

  async function* follow(access: SourceAccess, from: number): AsyncIterable<ChangePage> {
    for (let since = from; ;) {
      const { status, body } = await ask(access, `/changes?since=${since}`, [410]);
      if (status === 410) throw new CheckpointExpired();
      const page = z.object({ items: z.array(itemSchema), next: z.number(), isLast: z.boolean() }).parse(body);
      since = page.next;
      const items = page.items.map((one) =>
        one.removed ? { kind: "remove" as const, id: one.id } : { kind: "upsert" as const, item: toItem(one) },
      );
      yield { kind: "changes", isFirst: false, isLast: page.isLast, items, checkpoint: { phase: "changes", since } };
      if (page.isLast) return;
    }
  }

  return {
    provider: "granola",
    title: "Example",
    signIn: { kind: "credentials" },
    fields: z.object({ apiKey: z.string(), folder: z.string().optional(), url: z.string().optional() }),
    secretFields: ["apiKey"],
    placeFields: ["url"],
    sync: { everyMinutes: 240, absences: 1, readsAtOnce: 2 },
    async check(access) {
      await ask(access, "/items");
      return { account: "someone@example.com" };
    },
    changes(access, checkpoint) {
      if (checkpoint === null) return list(access, null);
      const from = checkpointSchema.parse(checkpoint);
      return from.phase === "listing" ? list(access, from) : follow(access, from.since);
    },
    async read(access, item) {
      const { status, body } = await ask(access, `/items/${item.id}`, [404]);
      if (status === 404) throw new ItemGone();
      const { text } = z.object({ text: z.string() }).parse(body);
      if (text === "skip me") throw new ItemSkipped("It asks not to be read.");
      const content = { content: text, mimeType: "text/markdown", fileName: null, type: null, title: item.title };
      return { ...content, changedAt: null, metadata: { kind: "example" } };
    },
  };
}
