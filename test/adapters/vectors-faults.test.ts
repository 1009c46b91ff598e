import { rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { collectionNames, rowId } from "../../src/adapters/vectors/chroma-names.js";
import { ChromaServer } from "../../src/adapters/vectors/chroma-server.js";
import type { LocalChroma } from "../../src/adapters/vectors/engine.js";
import { createVectors, type Vectors, type VectorsOptions } from "../../src/adapters/vectors/index.js";
import {
  ENGINES_DIRECTORY,
  eventually,
  isAlive,
  provideEngine,
  ready,
  rememberingLog,
  startEngine,
  temporaryDirectory,
} from "../support/chroma.js";
import { type Fault, type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.js";
import { VectorFixture } from "../support/vector-fixture.js";

const NAMESPACE = "test-organization";
const TUNING = { timeouts: { search: 1_000, write: 10_000 }, pollMs: 20, needEveryMs: 20, healthEveryMs: 200 };

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let fixture: VectorFixture;
let log: ReturnType<typeof rememberingLog>;
let opened: Vectors[];

beforeAll(provideEngine, 300_000);

beforeEach(async () => {
  directory = await temporaryDirectory();
  fixture = new VectorFixture();
  log = rememberingLog();
  opened = [];
});

afterEach(async () => {
  for (const vectors of opened) await vectors.close();
  await directory.remove();
});

/** Above ten vectors, everything goes to Chroma. */
function open(options: Partial<VectorsOptions> = {}): Vectors {
  const vectors = createVectors({
    record: fixture.record,
    log,
    namespace: NAMESPACE,
    dataDirectory: directory.path,
    enginesDirectory: ENGINES_DIRECTORY,
    offline: true,
    exactLimit: 10,
    mode: "auto",
    engine: "background",
    tuning: TUNING,
    ...options,
  });
  opened.push(vectors);
  return vectors;
}

describe("with a local Chroma", () => {
  it("answers from the first moment, while the engine is still starting", async () => {
    fixture.add(50);
    const vectors = open();
    expect((await vectors.status()).state).toBe("starting");
    await fixture.expectRightAnswer(vectors);
    await ready(vectors);
    await fixture.expectRightAnswer(vectors);
    expect((await vectors.status()).name).toMatch(/^exact \+ local Chroma \d+\.\d+\.\d+$/);
  });

  it("starts no engine until there are almost too many vectors for exact search", async () => {
    fixture.add(7);
    const vectors = open();
    expect(await vectors.status()).toMatchObject({ name: "exact", state: "ready", behind: 0 });
    await wait(200);
    expect(vectors.enginePid).toBeNull();
    fixture.add(5);
    await eventually(() => vectors.enginePid);
    await ready(vectors);
    expect((await vectors.status()).name).toContain("Chroma");
    await fixture.expectRightAnswer(vectors);
  });

  it("starts the engine immediately when everything is to be searched there", async () => {
    const vectors = open({ exactLimit: 0 });
    await eventually(() => vectors.enginePid);
  });

  it("keeps checking when the record cannot tell how much there is, and stops when closed", async () => {
    fixture.add(50);
    fixture.record.failWith(new Error("disk I/O error"));
    const vectors = open();
    await wait(100);
    expect(vectors.enginePid).toBeNull();
    fixture.record.failWith(null);
    await eventually(() => vectors.enginePid);
    const closed = open();
    await closed.close();
    fixture.add(50);
    await wait(100);
    expect(closed.enginePid).toBeNull();
  });

  it("keeps every search correct while Chroma is killed repeatedly, and uses it again afterwards", async () => {
    fixture.add(200);
    const vectors = open();
    await ready(vectors);
    for (let round = 0; round < 3; round++) {
      const pid = vectors.enginePid!;
      process.kill(pid, "SIGKILL");
      do {
        const [unit] = fixture.add(1);
        if (round === 1) fixture.remove(unit!);
        await fixture.expectRightAnswer(vectors);
        await wait(5);
      } while (vectors.enginePid === null || vectors.enginePid === pid);
      await ready(vectors);
      await fixture.expectRightAnswer(vectors);
    }
    expect(log.says("the Chroma engine exited")).toBe(true);
    const { collections } = await vectors.verify();
    expect(collections.length).toBeGreaterThan(0);
    for (const { found, expected } of collections) expect(found).toBe(expected);
  }, 60_000);

  it("rebuilds everything when the Chroma folder was deleted while it was stopped", async () => {
    fixture.add(150);
    const before = open();
    await ready(before);
    await before.close();
    await rm(join(directory.path, "chroma"), { recursive: true });
    fixture.add(20);
    const after = open();
    await fixture.expectRightAnswer(after);
    await ready(after);
    await fixture.expectRightAnswer(after);
    const { collections } = await after.verify();
    expect(collections).toContainEqual(expect.objectContaining({ expected: 170, found: 170, repaired: false }));
  }, 30_000);

  it("leaves no process behind when closed, even immediately or twice", async () => {
    fixture.add(30);
    const atOnce = open();
    await atOnce.close();
    expect(atOnce.enginePid).toBeNull();
    const vectors = open();
    await ready(vectors);
    const pid = vectors.enginePid!;
    await Promise.all([vectors.close(), vectors.close()]);
    expect(isAlive(pid)).toBe(false);
    await expect(vectors.close()).resolves.toBeUndefined();
  });

  it("works without Chroma when told to, and starts it on request", async () => {
    fixture.add(30);
    const exact = open({ mode: "exact" });
    expect(await exact.status()).toMatchObject({ name: "exact", state: "ready" });
    exact.start();
    expect(exact.enginePid).toBeNull();
    const later = open({ engine: "off" });
    expect((await later.status()).state).toBe("off");
    await fixture.expectRightAnswer(later);
    later.start();
    await ready(later);
    await fixture.expectRightAnswer(later);
  });

  it("says what is wrong and what to do when no engine can run", async () => {
    fixture.add(30);
    const vectors = open({ enginesDirectory: join(directory.path, "none"), tuning: { ...TUNING, bundled: null } });
    const status = await eventually(async () => {
      const now = await vectors.status();
      return now.state === "degraded" ? now : null;
    });
    expect(status.reason).toMatch(/RECOLLECT_OFFLINE/);
    expect(status.reason).toMatch(/CHROMA_URL/);
    await fixture.expectRightAnswer(vectors);
  });
});

describe("with a Chroma server", () => {
  let serverDirectory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let engine: LocalChroma & { readonly url: string };
  let proxy: FaultyProxy;

  beforeAll(async () => {
    serverDirectory = await temporaryDirectory();
    engine = await startEngine(serverDirectory.path);
  }, 300_000);

  afterAll(async () => {
    await engine?.close();
    await serverDirectory?.remove();
  });

  beforeEach(async () => {
    proxy = await startFaultyProxy(() => engine.url);
  });

  afterEach(async () => {
    for (const vectors of opened.splice(0)) await vectors.close();
    await proxy.close();
    const server = await connect();
    for (const name of await server.names("recollect-")) await server.drop(name);
    server.close();
  });

  async function connect(): Promise<ChromaServer> {
    const server = new ChromaServer({ url: engine.url }, { search: 5_000, write: 5_000 });
    await server.connect();
    return server;
  }

  /** The collection with the vectors of the fixture, accessed directly instead of through the index. */
  async function collection() {
    const names = collectionNames(NAMESPACE);
    const server = await connect();
    const existing = await server.names(names.all);
    return server.open(existing.find((name) => name === names.own(fixture.space, 1)) ?? names.shared(fixture.space));
  }

  /** Waits until the container has its own collection and nothing is being moved. */
  async function settled(vectors: Vectors): Promise<void> {
    await ready(vectors);
    await eventually(async () => (await fixture.record.placements(fixture.space.id)).get(1));
    await vectors.verify();
  }

  function onQueries(fault: Fault): void {
    proxy.decide((path) => (path.endsWith("/query") ? fault : "pass"));
  }

  it("searches large containers there", async () => {
    fixture.add(100);
    const vectors = open({ url: proxy.url });
    await ready(vectors);
    proxy.requests.length = 0;
    await fixture.expectRightAnswer(vectors);
    expect(proxy.requests.filter(({ path }) => path.endsWith("/query"))).toHaveLength(1);
    expect(vectors.enginePid).toBeNull();
  });

  it.each([
    ["never answers", "hang"],
    ["answers with an error", { status: 500, body: '{"error":"InternalError","message":"boom"}' }],
    ["answers with text", { status: 200, body: "<html>it works!</html>" }],
    ["answers with an empty object", { status: 200, body: "{}" }],
    ["answers with null", { status: 200, body: "null" }],
    ["answers with rows that are not ours", { status: 200, body: '{"ids":[["x"]],"distances":[[0]],"include":[]}' }],
    ["answers with too many lists", { status: 200, body: '{"ids":[[],[]],"distances":[[],[]],"include":[]}' }],
    ["refuses the token", { status: 401, body: '{"error":"AuthError"}' }],
    ["asks for patience", { status: 429, body: '{"error":"RateLimit"}' }],
  ] satisfies [string, Fault][])(
    "still answers correctly when a search there %s, and returns to it once it recovers",
    async (_, fault) => {
      fixture.add(100);
      const vectors = open({ url: proxy.url });
      await ready(vectors);
      onQueries(fault);
      for (let round = 0; round < 5; round++) await fixture.expectRightAnswer(vectors);
      const degraded = await eventually(async () => {
        const status = await vectors.status();
        return status.state === "degraded" ? status : null;
      });
      expect(`${degraded.name}: ${degraded.reason}`).toContain(new URL(proxy.url).host);
      onQueries("pass");
      await ready(vectors);
      await fixture.expectRightAnswer(vectors);
    },
    30_000,
  );

  it("never returns rows of a container that was not asked for, whatever Chroma says", async () => {
    fixture.add(100);
    fixture.record.put(fixture.space, 2, 999_999, fixture.anyVector());
    const vectors = open({ url: proxy.url });
    await ready(vectors);
    onQueries({ status: 200, body: '{"ids":[["999999@1","123456@1"]],"distances":[[0,0]],"include":[]}' });
    const query = { space: fixture.space, containerIds: [1], kinds: ["chunk", "memory"] as const, limit: 8 };
    expect(await vectors.nearest({ ...query, vector: fixture.anyVector() })).toEqual([]);
  });

  it("keeps what could not be written there, and writes it when the server is back", async () => {
    fixture.add(60);
    const vectors = open({ url: proxy.url });
    await ready(vectors);
    proxy.decide((path) => (/upsert|delete/.test(path) ? { status: 503, body: "{}" } : "pass"));
    const units = fixture.add(40);
    fixture.remove(units[0]!);
    for (let round = 0; round < 5; round++) await fixture.expectRightAnswer(vectors);
    expect((await vectors.status()).behind).toBeGreaterThan(0);
    proxy.decide(() => "pass");
    await ready(vectors);
    await fixture.expectRightAnswer(vectors);
    expect(await (await collection()).count()).toBe(fixture.vectors.size);
  }, 30_000);

  it("answers without a server that does not exist, and names it", async () => {
    const { url } = proxy;
    await proxy.close();
    fixture.add(40);
    const vectors = open({ url });
    await fixture.expectRightAnswer(vectors);
    await eventually(async () => (await vectors.status()).reason?.includes(new URL(url).host));
    await fixture.expectRightAnswer(vectors);
    proxy = await startFaultyProxy(() => engine.url);
  });

  it("answers without a server that accepts and never responds, and closes without waiting for it", async () => {
    proxy.decide(() => "hang");
    fixture.add(40);
    const vectors = open({ url: proxy.url });
    await eventually(() => proxy.requests.length > 0);
    await fixture.expectRightAnswer(vectors);
    await vectors.close();
  });

  it("refuses an invalid address", () => {
    for (const url of ["localhost:8000", "ftp://localhost", "nonsense", ""]) {
      expect(() => open({ url })).toThrow(expect.objectContaining({ kind: "invalid" }));
    }
  });

  it("notices missing rows there, and rebuilds the collection while searches continue", async () => {
    fixture.add(120);
    const vectors = open({ url: proxy.url });
    await settled(vectors);
    const damaged = await collection();
    await damaged.remove((await damaged.idsOf(1, 30)).slice(0, 30));
    const verification = vectors.verify();
    const query = { space: fixture.space, containerIds: [1], kinds: ["chunk", "memory"] as const, limit: 8 };
    expect(await vectors.nearest({ ...query, vector: fixture.anyVector() })).toHaveLength(8);
    expect((await verification).collections).toContainEqual(
      expect.objectContaining({ expected: 120, found: 90, repaired: true }),
    );
    expect(await (await collection()).count()).toBe(120);
    await ready(vectors);
    await fixture.expectRightAnswer(vectors);
    const after = (await vectors.verify()).collections;
    expect(new Set(after.map(({ repaired }) => repaired))).toEqual(new Set([false]));
  });

  it("notices surplus rows there", async () => {
    fixture.add(40);
    const vectors = open({ url: proxy.url });
    await settled(vectors);
    await (
      await collection()
    ).upsert([{ id: rowId(70_001, 1), vector: fixture.anyVector(), container: 1, kind: "memory" }]);
    const { collections } = await vectors.verify();
    expect(collections).toContainEqual(expect.objectContaining({ expected: 40, found: 41, repaired: true }));
  });

  it("notices vectors that do not find themselves although the count is right", async () => {
    const units = fixture.add(60);
    const vectors = open({ url: proxy.url });
    await settled(vectors);
    const wrong = units.map((unit) => ({
      id: rowId(unit, 1),
      vector: fixture.anyVector(),
      container: 1,
      kind: "chunk",
    }));
    await (await collection()).upsert(wrong);
    const { collections } = await vectors.verify();
    const repaired = collections.find((one) => one.repaired)!;
    expect(repaired).toMatchObject({ expected: 60, found: 60 });
    expect(repaired.selfQueries.found).toBeLessThan(repaired.selfQueries.asked);
    await fixture.expectRightAnswer(vectors);
  });

  it("recovers when its collections are deleted by someone else", async () => {
    fixture.add(80);
    const vectors = open({ url: proxy.url });
    await ready(vectors);
    const server = await connect();
    for (const name of await server.names("recollect-")) await server.drop(name);
    for (let round = 0; round < 3; round++) await fixture.expectRightAnswer(vectors);
    await eventually(async () => (await server.names("recollect-")).length > 0);
    await ready(vectors);
    await fixture.expectRightAnswer(vectors);
    server.close();
  });

  it("moves a container that grows past the limit from the shared collection to its own", async () => {
    fixture.add(8);
    const vectors = open({ url: proxy.url });
    await ready(vectors);
    const names = collectionNames(NAMESPACE);
    const server = await connect();
    expect(await server.names(names.all)).toEqual([names.shared(fixture.space)]);
    fixture.add(60);
    await eventually(async () => (await fixture.record.placements(fixture.space.id)).get(1));
    await ready(vectors);
    await fixture.expectRightAnswer(vectors);
    const own = await server.open(names.own(fixture.space, 1));
    const shared = await server.open(names.shared(fixture.space));
    await eventually(async () => (await shared.count()) === 0);
    expect(await own.count()).toBe(68);
    server.close();
  });

  it("never sees the vectors of another service on the same server", async () => {
    fixture.add(50);
    const mine = open({ url: proxy.url });
    await ready(mine);
    const others = new VectorFixture();
    others.add(70);
    const theirs = open({ url: proxy.url, record: others.record, namespace: "another" });
    await ready(theirs);
    await fixture.expectRightAnswer(mine);
    await others.expectRightAnswer(theirs);
    const { collections } = await mine.verify();
    expect(collections.length).toBeGreaterThan(0);
    for (const { found, expected } of collections) expect(found).toBe(expected);
  });

  it("sends the token, and works in the named tenant and database", async () => {
    fixture.add(20);
    const options = { url: proxy.url, token: "secret-token", tenant: "default_tenant", database: "default_database" };
    await ready(open(options));
    expect(proxy.requests).not.toEqual([]);
    expect(proxy.requests.every(({ headers }) => headers["x-chroma-token"] === "secret-token")).toBe(true);
    const collections = proxy.requests.filter(({ path }) => path.includes("/collections"));
    expect(collections.length).toBeGreaterThan(0);
    for (const { path } of collections) expect(path).toContain("/tenants/default_tenant/databases/default_database/");
    expect(JSON.stringify(log.lines)).not.toContain("secret-token");
  });

  it("asks the server for the token's tenant and database when none was named", async () => {
    fixture.add(20);
    proxy.decide((path) =>
      path.endsWith("/auth/identity")
        ? { status: 200, body: '{"user_id":"u","tenant":"default_tenant","databases":["default_database"]}' }
        : "pass",
    );
    await ready(open({ url: proxy.url, token: "secret-token" }));
    proxy.decide((path) =>
      path.endsWith("/auth/identity")
        ? { status: 200, body: '{"user_id":"u","tenant":"default_tenant","databases":["one","two"]}' }
        : "pass",
    );
    const ambiguous = open({ url: proxy.url, token: "secret-token" });
    await eventually(async () => (await ambiguous.status()).reason?.includes("CHROMA_DATABASE"));
  });
});
