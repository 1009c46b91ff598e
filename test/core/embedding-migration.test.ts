import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../support/store-folder.js";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { type ScriptedProvider, type ProviderOptions, startScriptedProvider } from "../support/scripted-provider.js";

const CONTAINER = "moving";
const WAITS = { timeout: 10_000, interval: 20 };

let dataDirectory: string;
let opened: OpenedCore;
let providers: ScriptedProvider[];

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-moving-"));
  providers = [];
});

afterEach(async () => {
  await opened.close();
  for (const provider of providers) await provider.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

async function startProvider(options?: ProviderOptions): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider(options);
  providers.push(provider);
  return provider;
}

type Settings = Readonly<Record<string, string>>;

const openai = ({ url }: { readonly url: string }, more: Settings = {}): Settings => ({
  RECOLLECT_EMBEDDER: "openai",
  RECOLLECT_EMBEDDING_BASE_URL: url,
  RECOLLECT_EMBEDDING_MODEL: "scripted",
  ...more,
});

async function open(settings: Settings = {}): Promise<void> {
  opened = await openCore({ dataDirectory, settings });
}

async function reopen(settings: Settings = {}): Promise<void> {
  await opened.close();
  await open(settings);
}

const NAMES = ["Ada", "Bo", "Cleo", "Dov", "Eri", "Finn", "Gus", "Hana", "Ines", "Jo"];
const THINGS = ["red kites", "oak boats", "brass clocks", "wool hats", "glass beads", "tin drums", "clay pots", "maps"];
const PLACES = ["Norway", "Peru", "Japan", "Kenya", "Greece", "Canada", "Egypt"];

/** An embedder must find these texts by their middles before it may take over. */
function textOf(index: number): string {
  const name = NAMES[index % NAMES.length];
  const thing = THINGS[index % THINGS.length];
  const place = PLACES[index % PLACES.length];
  return `${name} collects ${thing} from ${place} and keeps number ${index} of them on shelf ${(index * 7) % 100} near window w${index}.`;
}

async function addMany(count: number, from = 0): Promise<void> {
  for (let start = from; start < from + count; start += 100) {
    const size = Math.min(100, from + count - start);
    await opened.core.createMemories(
      { actor: opened.actor },
      {
        containerTag: CONTAINER,
        memories: Array.from({ length: size }, (_, index) => ({ content: textOf(start + index) })),
      },
    );
  }
}

const embeddings = () => opened.core.getEmbeddings({ actor: opened.actor });
const change = (input: unknown) => opened.core.changeEmbeddings({ actor: opened.actor }, input);
const search = (q: string, more: Settings = {}) =>
  opened.core.search({ actor: opened.actor }, { q, containerTags: [CONTAINER], threshold: 0, ...more });

interface SpaceRow {
  readonly fingerprint: string;
  readonly units: number;
  readonly rows: number;
}

/** The stored spaces. */
async function spaces(): Promise<SpaceRow[]> {
  return query<SpaceRow>(
    `select s.fingerprint, count(distinct v.unit) as units, count(v.id) as rows
     from vector_spaces s left join vectors v on v.space_id = s.id group by s.id order by s.id`,
  );
}

async function query<Row>(text: string): Promise<Row[]> {
  const connection = await openDatabase(join(dataDirectory, "recollect.db"), { readOnly: true });
  try {
    return connection.prepare(text).all() as Row[];
  } finally {
    connection.close();
  }
}

/** Searchable units without a vector in the active space, or with more than one in a container. */
async function gaps(): Promise<unknown[]> {
  return query(
    `with active as (select id from vector_spaces where fingerprint =
       (select fingerprint from embedder_roles where role = 'active'))
     select 'missing' as what, seq from memories where is_latest = 1 and not exists (
       select 1 from vectors v where v.unit = memories.seq * 2 + 1 and v.space_id = (select id from active))
     union all
     select 'missing chunk', seq from chunks where not exists (
       select 1 from vectors v where v.unit = chunks.seq * 2 and v.space_id = (select id from active))
     union all
     select 'stray', unit from vectors where unit % 2 = 1 and unit / 2 not in (select seq from memories)`,
  );
}

/** How often each text was sent to be embedded for the store. */
function timesEmbedded(provider: ScriptedProvider): Map<string, number> {
  const times = new Map<string, number>();
  for (const { body } of provider.requests)
    for (const text of body.input ?? [])
      if (/ keeps number /.test(text) && text.endsWith(".")) times.set(text, (times.get(text) ?? 0) + 1);
  return times;
}

async function untilActive(name: string): Promise<void> {
  await expect
    .poll(async () => {
      const { active, next } = await embeddings();
      return next?.problem ?? active.name;
    }, WAITS)
    .toBe(name);
}

describe("a change of the embedder in the environment", () => {
  test("moves everything to the new embedder while the old one serves searches, and embeds each text once", async () => {
    await open();
    await addMany(150);
    await opened.settle();
    const provider = await startProvider();
    await reopen(openai(provider));
    await opened.settle();
    expect(await embeddings()).toMatchObject({
      active: { name: "openai scripted", isAnswering: true },
      next: null,
      previous: { name: "builtin" },
    });
    expect(new Set(timesEmbedded(provider).values())).toEqual(new Set([1]));
    expect(timesEmbedded(provider).size).toBe(150);
    expect(await gaps()).toEqual([]);
    const { results, degraded } = await search("Who keeps number 42 of them near window w42?");
    expect(degraded).toEqual([]);
    expect(results[0]?.text).toBe(textOf(42));
  }, 60_000);

  test("serves every search during the move, and everything written meanwhile finally has a vector", async () => {
    await open();
    await addMany(120);
    await opened.settle();
    const provider = await startProvider();
    provider.fail({ kind: "slow", ms: 60 }, 50);
    await reopen(openai(provider));
    let searches = 0;
    for (let index = 0; (await embeddings()).active.name === "builtin"; index += 1) {
      const asked = index % 120;
      const { results, degraded } = await search(`number ${asked} near window w${asked}`);
      expect(degraded).toEqual([]);
      expect(results[0]?.text).toBe(textOf(asked));
      if (index < 20) await addMany(1, 120 + index);
      searches += 1;
    }
    expect(searches).toBeGreaterThan(5);
    await opened.settle();
    expect(await gaps()).toEqual([]);
  }, 60_000);

  test("back to the previous embedder reuses the stored vectors", async () => {
    const provider = await startProvider();
    await open(openai(provider));
    await opened.settle();
    await addMany(30);
    await reopen();
    await untilActive("builtin");
    const asked = timesEmbedded(provider).size;
    await reopen(openai(provider));
    await untilActive("openai scripted");
    await opened.settle();
    expect(timesEmbedded(provider).size).toBe(asked);
    expect(new Set(timesEmbedded(provider).values())).toEqual(new Set([1]));
    expect(await gaps()).toEqual([]);
  }, 60_000);

  test("to another size of the same model creates another space", async () => {
    const provider = await startProvider();
    await open(openai(provider));
    await opened.settle();
    await addMany(20);
    await reopen(openai(provider, { RECOLLECT_EMBEDDING_DIMENSIONS: "160" }));
    await expect.poll(async () => (await embeddings()).active.choice, WAITS).toMatchObject({ dimensions: 160 });
    await opened.settle();
    expect(await gaps()).toEqual([]);
    expect((await search("number 7 near window w7")).results[0]?.text).toBe(textOf(7));
  }, 60_000);

  test("to the same model at another address keeps the vectors", async () => {
    const provider = await startProvider();
    await open(openai(provider));
    await opened.settle();
    await addMany(20);
    await opened.settle();
    const elsewhere = await startProvider();
    await reopen(openai(elsewhere));
    await opened.settle();
    expect(await embeddings()).toMatchObject({
      active: { choice: { baseUrl: elsewhere.url } },
      next: null,
      previous: { name: "builtin" },
    });
    expect(timesEmbedded(elsewhere).size).toBe(0);
    await provider.close();
    expect((await search("number 7 near window w7")).degraded).toEqual([]);
  }, 60_000);
});

describe("an embedder that cannot be used", () => {
  const oldAnswers = async (): Promise<void> => {
    expect((await embeddings()).active).toMatchObject({ name: "builtin", isAnswering: true });
    const { results, degraded } = await search("number 3 near window w3");
    expect(degraded).toEqual([]);
    expect(results[0]?.text).toBe(textOf(3));
    await addMany(1, 900);
    expect((await search("number 900 near window w900")).results[0]?.text).toBe(textOf(900));
  };

  beforeEach(async () => {
    await open();
    await addMany(10);
    await opened.settle();
  });

  test("because it is unreachable leaves the old one in service, and is reported", async () => {
    const provider = await startProvider();
    await provider.close();
    await reopen(openai(provider));
    await expect.poll(async () => (await embeddings()).next?.problem, WAITS).toMatch(/cannot be reached|connect/i);
    await oldAnswers();
    const status = await opened.core.status({ actor: opened.actor });
    expect(status.embedding).toMatchObject({
      isAnswering: true,
      next: { name: expect.stringContaining("scripted"), state: "waiting" },
    });
    const { checks } = await opened.core.diagnose({ actor: opened.actor });
    expect(checks.find(({ name }) => name === "embedder")).toMatchObject({
      ok: false,
      detail: expect.stringContaining("builtin"),
    });
  }, 60_000);

  test("because the key is wrong leaves the old one in service until the key is right", async () => {
    const provider = await startProvider({ apiKey: "right" });
    await reopen(openai(provider, { RECOLLECT_EMBEDDING_API_KEY: "wrong" }));
    await expect.poll(async () => (await embeddings()).next?.problem, WAITS).toMatch(/key/i);
    await oldAnswers();
    await reopen(openai(provider, { RECOLLECT_EMBEDDING_API_KEY: "right" }));
    await untilActive("openai scripted");
    await opened.settle();
    expect(await gaps()).toEqual([]);
  }, 60_000);

  test("because OpenAI has no key leaves the old one in service", async () => {
    await reopen({ RECOLLECT_EMBEDDER: "openai" });
    await expect.poll(async () => (await embeddings()).next?.problem, WAITS).toMatch(/RECOLLECT_EMBEDDING_API_KEY/);
    await oldAnswers();
  }, 60_000);

  test("because its vectors have a different size than requested leaves the old one in service", async () => {
    const provider = await startProvider({ honoursDimensions: false });
    await reopen(openai(provider, { RECOLLECT_EMBEDDING_DIMENSIONS: "17" }));
    await expect.poll(async () => (await embeddings()).next?.problem, WAITS).toMatch(/17/);
    await oldAnswers();
  }, 60_000);

  test("because its model folder is broken leaves the old one in service", async () => {
    await reopen({ RECOLLECT_EMBEDDER: "static", RECOLLECT_EMBEDDING_MODEL: join(dataDirectory, "nothing") });
    await expect.poll(async () => (await embeddings()).next?.problem, WAITS).toMatch(/\S/);
    await oldAnswers();
  }, 60_000);

  test("for a new store leaves the built-in one in service", async () => {
    const provider = await startProvider({ apiKey: "right" });
    await opened.close();
    await rm(dataDirectory, { recursive: true });
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-moving-"));
    await open(openai(provider));
    await addMany(10);
    await expect.poll(async () => (await embeddings()).next?.problem, WAITS).toMatch(/key/i);
    await oldAnswers();
  }, 60_000);
});

describe("a move to another embedder", () => {
  let provider: ScriptedProvider;

  beforeEach(async () => {
    // With fewer dimensions, one sample in 250 finds clearly less by chance.
    provider = await startProvider({ dimensions: 256 });
    await open();
    await addMany(200);
    await opened.settle();
  });

  const use = () => change({ action: "use", choice: { kind: "openai", model: "scripted", baseUrl: provider.url } });

  test("waits for a service that limits its rate, and then continues", async () => {
    provider.fail({ kind: "status", status: 429, headers: { "retry-after": "1" } }, 3);
    await use();
    await untilActive("openai scripted");
    await opened.settle();
    expect(new Set(timesEmbedded(provider).values())).toEqual(new Set([1]));
    expect(await gaps()).toEqual([]);
  }, 60_000);

  test("stays paused across a restart, and resumes where it was", async () => {
    provider.fail({ kind: "slow", ms: 150 }, 100);
    await use();
    await expect.poll(async () => (await embeddings()).next?.done, WAITS).toBeGreaterThan(0);
    expect((await change({ action: "pause" })).done).toMatch(/Paused/);
    await opened.settle();
    const { next } = await embeddings();
    expect(next).toMatchObject({ state: "paused", total: 200 });
    await reopen();
    await opened.settle();
    expect((await embeddings()).next).toMatchObject({ state: "paused", done: next?.done });
    await change({ action: "resume" });
    await untilActive("openai scripted");
    await opened.settle();
    expect(new Set(timesEmbedded(provider).values())).toEqual(new Set([1]));
    expect(await gaps()).toEqual([]);
  }, 60_000);

  test("is cancelled by choosing the current embedder; its vectors are removed", async () => {
    provider.fail({ kind: "slow", ms: 150 }, 100);
    await use();
    await expect.poll(async () => (await embeddings()).next?.done, WAITS).toBeGreaterThan(0);
    await change({ action: "use", choice: { kind: "builtin" } });
    await opened.settle();
    expect(await embeddings()).toMatchObject({ active: { name: "builtin" }, next: null, previous: null });
    expect((await spaces()).map(({ fingerprint }) => fingerprint)).toEqual(["builtin v1 384"]);
  }, 60_000);

  test("waits for a person if the new embedder finds clearly less", async () => {
    provider.fail(
      {
        kind: "change",
        change: (entries) => entries.map((one) => ({ ...one, embedding: [1, ...Array<number>(63).fill(0)] })),
      },
      1_000,
    );
    await use();
    await expect.poll(async () => (await embeddings()).next?.comparison?.isSane, WAITS).toBe(false);
    await opened.settle();
    const waiting = await embeddings();
    expect(waiting.active.name).toBe("builtin");
    expect(waiting.next).toMatchObject({ state: "waiting", problem: expect.stringMatching(/person must decide/) });
    await addMany(1, 500);
    await change({ action: "switch" });
    await untilActive("openai scripted");
    await opened.settle();
    expect(await gaps()).toEqual([]);
  }, 60_000);

  test("can be rolled back and rolled forward, including what was written in between", async () => {
    await use();
    await untilActive("openai scripted");
    await addMany(5, 300);
    await change({ action: "rollback" });
    expect(await embeddings()).toMatchObject({ active: { name: "builtin" }, previous: { name: "openai scripted" } });
    await opened.settle();
    expect(await gaps()).toEqual([]);
    await addMany(5, 310);
    await change({ action: "rollback" });
    await untilActive("openai scripted");
    await opened.settle();
    expect(await gaps()).toEqual([]);
    expect(new Set(timesEmbedded(provider).values())).toEqual(new Set([1]));
    await reopen();
    expect((await embeddings()).active.name).toBe("openai scripted");
  }, 60_000);

  test("is rolled back once for repeated calls, and is also cancelled once", async () => {
    await use();
    await untilActive("openai scripted");
    const again = { actor: opened.actor, operationId: "back" };
    const back = () => opened.core.changeEmbeddings(again, { action: "rollback" });
    const first = await back();
    expect(first.done).toMatch(/^builtin is in use again/);
    expect((await back()).done).toBe(first.done);
    expect(await embeddings()).toMatchObject({ active: { name: "builtin" }, previous: { name: "openai scripted" } });

    await change({ action: "use", choice: { kind: "openai", model: "another", baseUrl: provider.url } });
    const giveUp = () => opened.core.changeEmbeddings({ ...again, operationId: "up" }, { action: "rollback" });
    const given = await giveUp();
    expect(given.done).toMatch(/is given up; nothing has changed/);
    expect((await giveUp()).done).toBe(given.done);
    expect(await embeddings()).toMatchObject({ active: { name: "builtin" }, previous: { name: "openai scripted" } });
  }, 60_000);

  test("leaves nothing of the old space once that is dropped", async () => {
    await use();
    await untilActive("openai scripted");
    await change({ action: "drop" });
    await opened.settle();
    expect(await embeddings()).toMatchObject({ next: null, previous: null });
    const left = await spaces();
    expect(left).toMatchObject([{ units: 200 }]);
    expect(await query("select distinct space_id from vector_changes")).toHaveLength(1);
    expect(await query("select * from vector_followers")).toEqual([]);
    await expect(change({ action: "rollback" })).rejects.toThrow(/no vectors of an earlier embedder/);
    await expect(change({ action: "drop" })).rejects.toThrow(/No vectors of an earlier embedder/);
  }, 60_000);

  test("estimates texts, tokens, cost and time beforehand", async () => {
    await reopen({ RECOLLECT_EMBEDDING_PRICE: "0.5", RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE: "1000" });
    const choice = { kind: "openai", model: "scripted", baseUrl: provider.url };
    const estimate = await opened.core.getEmbeddingEstimate({ actor: opened.actor }, { choice });
    const bytes = Array.from({ length: 200 }, (_, index) => Buffer.byteLength(textOf(index))).reduce((a, b) => a + b);
    expect(estimate.texts).toBe(200);
    expect(estimate.tokens).toBe(Math.ceil(bytes / 4));
    expect(estimate.cost).toBeCloseTo((estimate.tokens * 0.5) / 1e6, 9);
    expect(estimate.minutes).toBe(Math.ceil(estimate.tokens / 1000));
    expect(provider.requests).toEqual([]);
  }, 60_000);
});

describe("a store of an earlier version", () => {
  /** What an earlier version recorded, without what this version adds. */
  async function makeEarlier(fingerprint: string): Promise<void> {
    await opened.close();
    const connection = await openDatabase(join(dataDirectory, "recollect.db"));
    connection.exec("delete from embedder_roles");
    connection.exec("delete from meta where key = 'embedder_asked'");
    connection.prepare("insert into meta (key, value) values ('embedder', ?)").run(fingerprint);
    connection.close();
  }

  test("keeps its vectors", async () => {
    const provider = await startProvider();
    await open(openai(provider));
    await opened.settle();
    await addMany(20);
    await opened.settle();
    const before = await spaces();
    await makeEarlier('openai/1 model="scripted" dimensions=own');
    const asked = timesEmbedded(provider).size;
    await open(openai(provider));
    await opened.settle();
    expect(await embeddings()).toMatchObject({ active: { name: "openai scripted", isAnswering: true }, next: null });
    expect(await spaces()).toEqual(before);
    expect(timesEmbedded(provider).size).toBe(asked);
    const { results, degraded } = await search("number 7 near window w7");
    expect([results[0]?.text, degraded]).toEqual([textOf(7), []]);
  }, 60_000);

  test("with vectors of an unknown embedder is embedded again, and is searchable by words meanwhile", async () => {
    await open();
    await addMany(20);
    await opened.settle();
    await makeEarlier("builtin v0 384");
    await open();
    expect((await search("number 7 near window w7")).results[0]?.text).toBe(textOf(7));
    await opened.settle();
    expect(await gaps()).toEqual([]);
  }, 60_000);
});

describe("the vectors of the previous embedder", () => {
  test("are removed when the rollback period is over", async () => {
    const provider = await startProvider();
    await open();
    await addMany(20);
    await opened.settle();
    await reopen(openai(provider));
    await untilActive("openai scripted");
    await opened.settle();
    await opened.close();
    const connection = await openDatabase(join(dataDirectory, "recollect.db"));
    connection.exec("update embedder_roles set drop_after = '2001-01-01T00:00:00.000Z' where role = 'previous'");
    connection.exec(
      "insert or replace into schedules (name, last_run_at) values ('look after embedders', '2001-01-01T00:00:00.000Z')",
    );
    connection.close();
    await open(openai(provider));
    await expect.poll(async () => (await embeddings()).previous, WAITS).toBeNull();
    await opened.settle();
    expect(await spaces()).toMatchObject([{ units: 20 }]);
  }, 60_000);
});
