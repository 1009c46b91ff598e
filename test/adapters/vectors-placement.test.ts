import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { collectionNames } from "../../src/adapters/vectors/chroma-names.js";
import { ChromaServer } from "../../src/adapters/vectors/chroma-server.js";
import type { LocalChroma } from "../../src/adapters/vectors/engine.js";
import { createVectors, type Vectors } from "../../src/adapters/vectors/index.js";
import type { VectorRecord } from "../../src/core/ports.js";
import type { VectorSpace } from "../../src/core/types.js";
import { eventually, ready, rememberingLog, startEngine, temporaryDirectory } from "../support/chroma.js";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.js";
import { VectorFixture } from "../support/vector-fixture.js";
import { randomVector, seededRandom } from "../support/vectors.js";

/** Containers with more vectors get their own collection, and lose it again at half as many. */
const LIMIT = 10;
const NEIGHBOURS = 6;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let engine: LocalChroma & { readonly url: string };
let server: ChromaServer;
let proxy: FaultyProxy;
let opened: Vectors[] = [];
let fixture: VectorFixture;
let namespace: string;
let nextNamespace = 1;

beforeAll(async () => {
  directory = await temporaryDirectory();
  engine = await startEngine(directory.path);
  server = new ChromaServer({ url: engine.url }, { search: 5_000, write: 5_000 });
  await server.connect();
}, 300_000);

afterAll(async () => {
  server?.close();
  await engine?.close();
  await directory?.remove();
});

beforeEach(async () => {
  proxy = await startFaultyProxy(() => engine.url);
  startAfresh();
});

afterEach(async () => {
  await closeAll();
  await proxy.close();
});

async function closeAll(): Promise<void> {
  for (const vectors of opened.splice(0)) await vectors.close();
}

/** A separate record with some vectors of another container, and a unique name. */
function startAfresh(): void {
  fixture = new VectorFixture();
  namespace = `placement ${nextNamespace++}`;
  for (let at = 0; at < NEIGHBOURS; at++) fixture.record.put(fixture.space, 2, 1_000_001 + at * 2, fixture.anyVector());
}

function open(record: VectorRecord = fixture.record): Vectors {
  const vectors = createVectors({
    record,
    log: rememberingLog(),
    namespace,
    dataDirectory: directory.path,
    offline: true,
    url: proxy.url,
    exactLimit: LIMIT,
    mode: "auto",
    engine: "background",
    tuning: { timeouts: { search: 1_000, write: 10_000 }, pollMs: 5 },
  });
  opened.push(vectors);
  return vectors;
}

/** Rows of a collection, read without ever creating it; null when there is none. */
async function countOf(name: string): Promise<number | null> {
  const collections = `${engine.url}/api/v2/tenants/default_tenant/databases/default_database/collections`;
  const found = await fetch(`${collections}/${name}`);
  const { id } = (await found.json()) as { id?: string };
  if (!found.ok || id === undefined) return null;
  const count = await fetch(`${collections}/${id}/count`);
  return count.ok ? Number(await count.text()) : null;
}

async function counted(): Promise<{ shared: number | null; own: number | null; names: number }> {
  const names = collectionNames(namespace);
  return {
    shared: await countOf(names.shared(fixture.space)),
    own: await countOf(names.own(fixture.space, 1)),
    names: (await server.names(names.all)).length,
  };
}

/** Waits until every vector is in exactly one collection, and there is no other collection. */
async function expectPlaced(expected: "own" | "shared"): Promise<void> {
  const size = fixture.vectors.size;
  const wanted =
    expected === "own"
      ? { shared: NEIGHBOURS, own: size, names: 2 }
      : { shared: NEIGHBOURS + size, own: null, names: 1 };
  let last: unknown;
  await eventually(async () => {
    last = await counted();
    return JSON.stringify(last) === JSON.stringify(wanted);
  }, 15_000).catch(() => undefined);
  expect(last).toEqual(wanted);
}

async function expectRightAnswers(vectors: Vectors): Promise<void> {
  await fixture.expectRightAnswer(vectors);
  const query = { space: fixture.space, kinds: ["chunk", "memory"] as const, vector: fixture.anyVector() };
  const both = await vectors.nearest({ ...query, containerIds: [1, 2], limit: 900 });
  expect(both.map((hit) => hit.unit).toSorted((left, right) => left - right)).toEqual(
    [...fixture.vectors.keys(), ...Array.from({ length: NEIGHBOURS }, (_, at) => 1_000_001 + at * 2)].toSorted(
      (left, right) => left - right,
    ),
  );
}

function shrinkTo(size: number): void {
  for (const unit of [...fixture.vectors.keys()].slice(size)) fixture.remove(unit);
}

const DIRECTIONS = [
  {
    name: "out of the shared collection",
    before: () => void fixture.add(8),
    after: (count = 30) => void fixture.add(count),
    placed: "own",
  },
  {
    name: "back into the shared collection",
    before: () => void fixture.add(30),
    after: () => shrinkTo(4),
    placed: "shared",
  },
] as const;

describe.each(DIRECTIONS)("a container that moves $name", ({ before, after, placed }) => {
  const other = placed === "own" ? "shared" : "own";

  async function settledBefore(): Promise<Vectors> {
    before();
    const vectors = open();
    await ready(vectors);
    await expectPlaced(other);
    return vectors;
  }

  it("is searched correctly at every moment, also during writes", async () => {
    const vectors = await settledBefore();
    // More than one page, so that changes can happen between two pages.
    after(700);
    for (let round = 0; round < 40; round++) {
      const [unit] = fixture.add(1);
      await expectRightAnswers(vectors);
      if (round % 3 > 0 || placed === "shared") fixture.remove(unit!);
      await expectRightAnswers(vectors);
    }
    await ready(vectors);
    await expectPlaced(placed);
    await expectRightAnswers(vectors);
    const { collections } = await vectors.verify();
    expect(new Set(collections.map(({ repaired }) => repaired))).toEqual(new Set([false]));
  }, 60_000);

  it("arrives after a kill before any step, with nothing lost, duplicated or left behind", async () => {
    let step = 0;
    for (let wasKilled = true; wasKilled; step++) {
      startAfresh();
      const killed = await settledBefore();
      proxy.requests.length = 0;
      let writes = 0;
      wasKilled = false;
      proxy.decide((path) => {
        if (wasKilled || (/\/query$|heartbeat|version/.test(path) ? false : writes++ === step)) wasKilled = true;
        return wasKilled ? "hang" : "pass";
      });
      after();
      await eventually(async () => wasKilled || (await isAsPlaced()));
      await closeAll();
      expect((await killed.status()).state).not.toBe("ready");
      proxy.decide(() => "pass");
      const vectors = open();
      await expectRightAnswers(vectors);
      await ready(vectors);
      await expectRightAnswers(vectors);
      await expectPlaced(placed);
      await expectRightAnswers(vectors);
      await closeAll();
    }
    // Following changes, removing, creating, copying, emptying: all of these were interrupted.
    expect(step).toBeGreaterThan(5);
  }, 60_000);

  async function isAsPlaced(): Promise<boolean> {
    const { own, shared } = await counted();
    return placed === "own" ? own !== null && shared === NEIGHBOURS : own === null;
  }

  it("arrives when the record fails at the moment of the switch", async () => {
    let failures = 2;
    const fail = (): void => {
      if (failures-- > 0) throw new Error("disk I/O error");
    };
    const vectors = await settledBefore();
    const setPlacement = fixture.record.setPlacement.bind(fixture.record);
    const removePlacement = fixture.record.removePlacement.bind(fixture.record);
    fixture.record.setPlacement = async (...change) => {
      fail();
      await setPlacement(...change);
    };
    fixture.record.removePlacement = async (...change) => {
      fail();
      await removePlacement(...change);
    };
    after();
    for (let round = 0; round < 10; round++) await expectRightAnswers(vectors);
    await eventually(() => failures < 0);
    await expectPlaced(placed);
    await ready(vectors);
    await expectRightAnswers(vectors);
  }, 30_000);
});

describe("the deciding size", () => {
  it("lets a container stay where it is between half the threshold and all of it", async () => {
    fixture.add(LIMIT);
    const vectors = open();
    await ready(vectors);
    await expectPlaced("shared");
    fixture.add(1);
    await expectPlaced("own");
    shrinkTo(LIMIT / 2 + 1);
    await ready(vectors);
    await vectors.verify();
    await expectPlaced("own");
    shrinkTo(0);
    await expectPlaced("shared");
    await expectRightAnswers(vectors);
  });
});

describe("collections of an earlier build", () => {
  it("are rebuilt under their present names, each container where it was, and the former ones are removed", async () => {
    fixture.add(30);
    await ready(open());
    await expectPlaced("own");
    await closeAll();
    const names = collectionNames(namespace);
    const former = `${names.all}0123456789ab`;
    for (const name of [names.own(fixture.space, 1), names.shared(fixture.space)]) await server.drop(name);
    for (const name of [former, `${former}-1`]) await server.open(name);
    await fixture.record.setPlacement(fixture.space.id, 1, `${former}-1`);
    const vectors = open();
    await ready(vectors);
    await expectPlaced("own");
    await expectRightAnswers(vectors);
    expect(await fixture.record.placements(fixture.space.id)).toEqual(new Map([[1, names.own(fixture.space, 1)]]));
  });
});

describe("vector spaces that are dropped", () => {
  const other: VectorSpace = { id: 2, fingerprint: "other", dimensions: 8 };
  const random = seededRandom(5);

  async function withTwoSpaces(): Promise<Vectors> {
    fixture.add(30);
    fixture.record.addSpace(other);
    for (let at = 0; at < 30; at++) fixture.record.put(other, 1, at, randomVector(8, random));
    const vectors = open();
    await ready(vectors);
    await eventually(async () => (await namesOf(other)).length === 2 && (await namesOf(fixture.space)).length === 2);
    return vectors;
  }

  function namesOf(space: VectorSpace): Promise<string[]> {
    return server.names(collectionNames(namespace).shared(space));
  }

  it("take their collections with them, and leave the others alone", async () => {
    const vectors = await withTwoSpaces();
    await fixture.record.dropSpace(other.id);
    await eventually(async () => (await namesOf(other)).length === 0);
    await expectRightAnswers(vectors);
    await expectPlaced("own");
  });

  it("are removed immediately, and not rebuilt while the record still has them", async () => {
    const vectors = await withTwoSpaces();
    await vectors.dropSpace(other.id);
    expect(await namesOf(other)).toEqual([]);
    fixture.add(1);
    await ready(vectors);
    expect(await namesOf(other)).toEqual([]);
    const query = { space: other, containerIds: [1], kinds: ["chunk"] as const, vector: randomVector(8, random) };
    expect(await vectors.nearest({ ...query, limit: 5 })).toHaveLength(5);
    await expectPlaced("own");
  });

  it("leave nothing when they were dropped while no service ran, or the server was down", async () => {
    await withTwoSpaces();
    await closeAll();
    await fixture.record.dropSpace(other.id);
    expect(await namesOf(other)).not.toEqual([]);
    const vectors = open();
    await ready(vectors);
    await expectPlaced("own");
    proxy.decide(() => ({ status: 503, body: "{}" }));
    await vectors.dropSpace(fixture.space.id);
    await fixture.record.dropSpace(fixture.space.id);
    proxy.decide(() => "pass");
    await eventually(async () => (await server.names(collectionNames(namespace).all)).length === 0);
  }, 30_000);
});
