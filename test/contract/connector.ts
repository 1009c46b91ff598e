import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Connector, SourceChange, SourceContent, SourceItem } from "../../src/core/ports.js";
import { ONLINE } from "../support/connection.js";
import type { FollowedEntry, FollowedProvider, FollowedSource, RequestFault } from "../support/followed-source.js";
import { openCore, type OpenedCore } from "../support/open-core.js";

const DAY_MS = 25 * 3_600_000;
/** Runs after the last fault, a day apart. */
const LAST_RUNS = 3;
const LONGEST_MS = 60 * 60_000;
const LONGEST_OF_ONE_MS = 5_000;

type Step =
  | { readonly do: "put" | "sync" | "start" | "expire" }
  | { readonly do: "edit" | "rename" | "remove" | "restore" | "forbid" | "event"; readonly pick: number }
  | { readonly do: "kill"; readonly after: number }
  | { readonly do: "fail"; readonly fault: RequestFault; readonly after: number };

const pick = fc.nat(50);
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ do: "put" as const }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("edit", "rename", "remove", "restore", "event"), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forbid" as const), pick }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("sync", "sync", "start", "expire") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("kill" as const), after: fc.nat(8) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("fail" as const),
      fault: fc.constantFrom<RequestFault>(
        { kind: "status", status: 401 },
        { kind: "status", status: 500 },
        { kind: "status", status: 503, retryAfter: 120 },
        { kind: "status", status: 429, retryAfter: 1 },
        { kind: "status", status: 429, retryAfter: 600 },
        { kind: "cut" },
      ),
      after: fc.nat(4),
    }),
  },
);

/** What was read of one entry. Nothing may be read twice unless it disappeared in between. */
class Reads {
  total = 0;
  #seen = new Set<string>();
  repeated: string[] = [];

  note(item: SourceItem, content: SourceContent): void {
    this.total += 1;
    const bytes = typeof content.content === "string" ? content.content : Buffer.from(content.content).toString("utf8");
    const what = `${item.id}\n${bytes}`;
    if (this.#seen.has(what)) this.repeated.push(item.id);
    this.#seen.add(what);
  }

  /** It disappeared, or may have, so that it is read again when it returns. */
  forget(id: string): void {
    this.#seen = new Set([...this.#seen].filter((what) => !what.startsWith(`${id}\n`)));
  }
}

interface History {
  readonly source: FollowedSource;
  readonly reads: Reads;
  readonly entries: FollowedEntry[];
  readonly tag: string;
  id: string;
  count: number;
  /** Reads whose results may have been lost, or may mix two versions. */
  mayRepeat: number;
  isRunning: boolean;
}

/** One service for all histories of a provider; each has its own source, connection and container. */
class SharedService {
  opened!: OpenedCore;
  readonly dataDirectory: string;
  readonly provider: string;
  readonly #readAhead: number | null;
  /** The current one. */
  live!: Pick<History, "source" | "reads">;
  #ahead = 0;

  constructor(dataDirectory: string, { provider, readAhead }: FollowedProvider) {
    this.dataDirectory = dataDirectory;
    this.provider = provider;
    this.#readAhead = readAhead ?? null;
  }

  async open(): Promise<void> {
    const clock = { now: () => new Date(Date.now() + this.#ahead) };
    const { dataDirectory } = this;
    this.opened = await openCore({ dataDirectory, clock, settings: ONLINE, connectors: [this.#connector()] });
  }

  /** The most reads that can be lost when a run ends. */
  mostLost({ sync }: Connector): number {
    return this.#readAhead ?? sync.readsAtOnce;
  }

  later(ms: number): void {
    this.#ahead += ms;
  }

  /** The real connector of the current source; its reads are recorded. */
  #connector(): Connector {
    const live = () => this.live;
    const noteChange = (change: SourceChange): void => {
      if (this.#readAhead !== null && change.kind === "upsert" && change.content)
        live().reads.note(change.item, change.content);
    };
    const { connector } = this.live.source;
    return {
      ...connector,
      get signIn() {
        return live().source.connector.signIn;
      },
      check: (access) => live().source.connector.check(access),
      async *changes(access, checkpoint) {
        for await (const page of live().source.connector.changes(access, checkpoint)) {
          for (const change of page.items) noteChange(change);
          yield page;
        }
      },
      async read(access, item) {
        const { source, reads } = live();
        const content = await source.connector.read(access, item);
        reads.note(item, content);
        return content;
      },
    };
  }
}

const ORIGIN = "http://127.0.0.1:1";

/** Signs in as a browser does. */
async function signIn({ core, actor }: OpenedCore, provider: string, authLink: string | undefined): Promise<void> {
  if (authLink === undefined) return;
  const state = new URL(authLink).searchParams.get("state") ?? "";
  const { problem } = await core.finishConnection({ actor }, { provider, code: "good", state });
  if (problem !== null) throw new AppError("unavailable", problem);
}

async function connectTo({ opened, provider }: SharedService, source: FollowedSource, tag: string): Promise<string> {
  const { core, actor } = opened;
  const { metadata, resources } = source;
  const { id, authLink } = await core.createConnection(
    { actor },
    { provider, containerTag: tag, metadata, everyMinutes: null, origin: ORIGIN },
  );
  await signIn(opened, provider, authLink);
  if (resources) await core.configureConnection({ actor }, { id, resources });
  return id;
}

/** Starts a run, after signing in again where needed. Faults may prevent both. */
async function order({ opened, provider }: SharedService, { source, id }: History): Promise<void> {
  const { core, actor } = opened;
  try {
    const { state } = await core.findConnection({ actor }, { id });
    if (state === "reconnect") {
      const again = await core.reconnectConnection({ actor }, { id, metadata: source.metadata, origin: ORIGIN });
      await signIn(opened, provider, again.authLink);
    }
    await core.syncOneConnection({ actor }, { id });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** Ends the service during a run, after a number of requests to the source. */
async function kill(service: SharedService, history: History, after: number): Promise<void> {
  const { source, reads } = history;
  const before = source.requests() + reads.total;
  await order(service, history);
  let isSettled = false;
  void service.opened.settle().then(() => (isSettled = true));
  while (!isSettled && source.requests() + reads.total < before + after)
    await new Promise((resolve) => setImmediate(resolve));
  await service.opened.close();
  history.mayRepeat += service.mostLost(source.connector);
  history.isRunning = false;
  await service.open();
}

async function perform(service: SharedService, history: History, step: Step, provider: FollowedProvider) {
  const { source, entries, reads } = history;
  const hidden = source.hidden?.() ?? new Set();
  const there = entries.filter(({ isThere, id }) => isThere && !hidden.has(id));
  const picked = (some: readonly FollowedEntry[], at: number) => some[at % Math.max(1, some.length)];
  const one = "pick" in step ? picked(there, step.pick) : undefined;
  const sentence = () => `Sentence number ${(history.count += 1)} of this history stands here.`;
  // An entry that changes while it is read may be read once more.
  if (history.isRunning && "pick" in step) history.mayRepeat += 1;
  switch (step.do) {
    case "put": {
      const text = sentence();
      const name = provider.nameOf(history.count);
      entries.push({ id: await source.put(name, text), name, texts: [text], isThere: true });
      return;
    }
    case "edit":
      if (one) {
        const text = sentence();
        one.id = await source.edit(one, text);
        one.texts = provider.isAppended ? [...one.texts, text] : [text];
      }
      return;
    case "rename":
      if (one && source.rename) {
        const name = provider.nameOf((history.count += 1));
        one.id = await source.rename(one, name);
        one.name = name;
      }
      return;
    case "remove":
      if (one) {
        await source.remove(one);
        one.isThere = false;
      }
      return;
    case "restore": {
      const gone = picked(
        entries.filter(({ isThere }) => !isThere),
        step.pick,
      );
      if (gone && source.restore) {
        reads.forget(gone.id);
        gone.isThere = await source.restore(gone);
      }
      return;
    }
    case "event": {
      const { events = [] } = source;
      const event = events[step.pick % Math.max(1, events.length)];
      await event?.(Math.floor(step.pick / Math.max(1, events.length)), entries);
      // Entries that such an event hides or shows are removed and read again.
      const now = source.hidden?.() ?? new Set();
      for (const { id } of entries) if (hidden.has(id) !== now.has(id)) reads.forget(id);
      return;
    }
    case "forbid":
      if (one && source.forbid) {
        source.forbid(one);
        reads.forget(one.id);
      }
      return;
    case "fail":
      source.fail?.(step.fault, step.after);
      return;
    case "expire":
      source.expire?.();
      return;
    case "kill":
      return kill(service, history, step.after);
    case "start":
    case "sync":
      await order(service, history);
      history.isRunning = true;
      if (step.do === "start") return;
      await service.opened.settle();
      history.isRunning = false;
  }
}

const SENTENCE = /Sentence number \d+ of this history stands here\./g;

async function documentsIn({ core, actor }: OpenedCore, tag: string) {
  const query = { containerTags: [tag], limit: 1_000, includeContent: true };
  const { documents } = await core.listDocuments({ actor }, query);
  return documents
    .map(({ customId, title, content, status }) => ({
      id: customId,
      title,
      texts: content?.match(SENTENCE) ?? [],
      status,
    }))
    .toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
}

function expected({ source, entries }: History) {
  const hidden = source.hidden?.() ?? new Set();
  return [...(source.lasting ? [source.lasting] : []), ...entries]
    .filter(({ isThere, id }) => isThere && !hidden.has(id))
    .map((entry) => ({ id: entry.id, title: source.titleOf(entry), texts: entry.texts, status: "done" }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

async function lastRun({ core, actor }: OpenedCore, id: string) {
  const [run] = (await core.listSyncRuns({ actor }, { id })).runs;
  return run;
}

async function follow(service: SharedService, history: History, made: readonly Step[], provider: FollowedProvider) {
  const { source, reads } = history;
  for (const step of made) await perform(service, history, step, provider);
  await source.heal();
  for (let run = 0; run < LAST_RUNS; run += 1) {
    service.later(DAY_MS);
    await order(service, history);
    await service.opened.settle();
  }
  expect(await documentsIn(service.opened, history.tag)).toEqual(expected(history));
  expect(await lastRun(service.opened, history.id)).toMatchObject({ status: "done", failed: 0, error: null });
  expect(reads.repeated.slice(history.mayRepeat)).toEqual([]);
  // When nothing has changed, nothing is read and no unnecessary request is made.
  const before = { reads: reads.total, requests: source.requests() };
  await order(service, history);
  await service.opened.settle();
  expect(await lastRun(service.opened, history.id)).toMatchObject({ status: "done", read: 0, removed: 0 });
  expect(reads.total - before.reads).toBe(0);
  const asked = source.requests() - before.requests;
  expect(asked).toBeLessThanOrEqual(source.least(expected(history).length) * 1.2);
}

/**
 * Whatever happens at a source, and whenever processes end: its documents match it in the end, nothing unchanged is
 * read twice, and a run that finds nothing new makes few unnecessary requests. `runs` random histories.
 */
export function describeConnector(provider: FollowedProvider, runs: number): void {
  const { provider: name, what, missing } = provider;
  const title = `${name}${what === undefined ? "" : ` (${what})`}: documents follow any history`;
  if (missing !== undefined) {
    test.skip(`${title} (skipped: ${missing})`, () => {});
    return;
  }
  test(
    title,
    async () => {
      const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-histories-"));
      const service = new SharedService(dataDirectory, provider);
      let histories = 0;
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 18 }), async (made) => {
            const source = await provider.start();
            const reads = new Reads();
            service.live = { source, reads };
            const tag = `history-${(histories += 1)}`;
            try {
              if (histories === 1) {
                await service.open();
                const { core, actor } = service.opened;
                await core.updateSettings({ actor }, APPS);
              }
              const id = await connectTo(service, source, tag);
              const state = { source, reads, entries: [], tag, id, count: 0, mayRepeat: 0, isRunning: true };
              try {
                await follow(service, state, made, provider);
              } finally {
                const { core, actor } = service.opened;
                await core.removeConnection({ actor }, { id, deleteDocuments: false });
                await service.opened.settle();
              }
            } finally {
              await source.close();
            }
          }),
          // Also limits how long a failing history is shrunk.
          { numRuns: runs, interruptAfterTimeLimit: 60_000 + runs * LONGEST_OF_ONE_MS },
        );
      } finally {
        await service.opened.close();
        await rm(dataDirectory, { recursive: true, force: true });
      }
    },
    LONGEST_MS,
  );
}

const APPS = {
  googleDriveClientId: "client",
  googleDriveClientSecret: "a secret of Google",
  onedriveClientId: "client",
  onedriveClientSecret: "a secret of Microsoft",
};
