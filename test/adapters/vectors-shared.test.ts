import { setTimeout as wait } from "node:timers/promises";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { createChromaVectors } from "../../src/adapters/vectors/chroma.js";
import { publishedCollections } from "../../src/adapters/vectors/chroma-layout.js";
import { collectionNames } from "../../src/adapters/vectors/chroma-names.js";
import { ChromaServer } from "../../src/adapters/vectors/chroma-server.js";
import type { LocalChroma } from "../../src/adapters/vectors/engine.js";
import { AppError } from "../../src/core/errors.js";
import type { SharedRole, VectorIndex, VectorRecord } from "../../src/core/ports.js";
import { describeVectorIndex } from "../contract/vectors.js";
import { eventually, patient, ready, rememberingLog, startEngine, temporaryDirectory } from "../support/chroma.js";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.js";
import { createTurnTaking, type TurnTaking } from "../support/shared-role.js";
import { VectorFixture } from "../support/vector-fixture.js";
import { withMethods } from "../support/with-methods.js";

/** Containers with more vectors get their own collection, and lose it again at half as many. */
const LIMIT = 10;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let engine: LocalChroma & { readonly url: string };
let server: ChromaServer;
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

interface Sharing {
  readonly record: VectorRecord;
  readonly role: SharedRole;
  readonly namespace: string;
  readonly url?: string;
}

/** The index of one of several nodes. The first one opened feeds Chroma. */
function openNode({ record, role, namespace, url = engine.url }: Sharing): VectorIndex {
  return createChromaVectors({
    record,
    role,
    target: { key: "test", name: "Chroma", failure: null, address: () => ({ url }) },
    namespace,
    ownAbove: () => LIMIT,
    log: rememberingLog(),
    timeouts: { search: 1_000, write: 10_000 },
    pollMs: 5,
  });
}

describeVectorIndex("Chroma, fed by another node", {
  async open(record) {
    const sharing = { record, role: createTurnTaking(), namespace: "contract" };
    const [feeding, searching] = [openNode(sharing), patient(openNode(sharing))];
    const close = async (): Promise<void> => {
      await searching.close();
      await feeding.close();
    };
    return { ...searching, verify: (signal) => feeding.verify(signal), close };
  },
  recall: 0.97,
  many: 3_000,
});

describe("nodes that share a Chroma", () => {
  let fixture: VectorFixture;
  let sharing: Sharing & { readonly role: TurnTaking };
  let proxy: FaultyProxy;
  let opened: VectorIndex[] = [];

  beforeEach(async () => {
    proxy = await startFaultyProxy(() => engine.url);
    fixture = new VectorFixture();
    sharing = { record: fixture.record, role: createTurnTaking(), namespace: `shared ${nextNamespace++}` };
  });

  afterEach(async () => {
    for (const index of opened.splice(0)) await index.close();
    await proxy.close();
  });

  function open(url?: string): VectorIndex {
    const index = openNode({ ...sharing, ...(url && { url }) });
    opened.push(index);
    return index;
  }

  async function close(index: VectorIndex): Promise<void> {
    opened = opened.filter((one) => one !== index);
    await index.close();
  }

  const namesOf = () => server.names(collectionNames(sharing.namespace).all);

  async function dropAll(): Promise<void> {
    for (const name of await namesOf()) await server.drop(name);
  }

  /** Ids of the collections that nodes are to query. */
  async function published(): Promise<string | null> {
    const { layout } = await fixture.record.progress("chroma:test", fixture.space.id);
    return layout;
  }

  it("find what any of them writes immediately, and only one of them feeds", async () => {
    fixture.add(30);
    const nodes = [open(), open(), open()];
    for (const node of nodes) await ready(node);
    for (let round = 0; round < 30; round++) {
      const [unit] = fixture.add(1);
      for (const node of nodes) await fixture.expectRightAnswer(patient(node));
      if (round % 2 === 0) fixture.remove(unit!);
      for (const node of nodes) await fixture.expectRightAnswer(patient(node));
    }
    expect(sharing.role.taken).toBe(1);
  }, 30_000);

  it.each([
    { name: "grows out of the shared collection", before: 8, change: () => void fixture.add(700) },
    {
      name: "shrinks back into the shared collection",
      before: 30,
      change: () => [...fixture.vectors.keys()].slice(4).forEach((unit) => fixture.remove(unit)),
    },
  ])(
    "find everything at every moment while a container $name",
    async ({ before, change }) => {
      fixture.add(before);
      const [feeding, searching] = [open(), open()];
      await ready(feeding);
      const wanted = before > LIMIT ? 2 : 1;
      await eventually(async () => (await namesOf()).length === wanted);
      change();
      const moved = wanted === 2 ? 1 : 2;
      for (let round = 0; round < 10 || (await namesOf()).length !== moved; round++)
        await fixture.expectRightAnswer(patient(searching));
      await ready(searching);
      await fixture.expectRightAnswer(searching);
    },
    30_000,
  );

  it("continue when the feeding node ends, or loses its role, in the middle of it", async () => {
    fixture.add(30);
    let [feeding, searching] = [open(), open()];
    await ready(searching);
    for (let round = 0; round < 5; round++) {
      fixture.add(400);
      if (round % 2 === 0) sharing.role.takeAway();
      else {
        await close(feeding);
        [feeding, searching] = [searching, open()];
      }
      await fixture.expectRightAnswer(patient(searching));
      await ready(searching);
      await fixture.expectRightAnswer(searching);
    }
    expect(sharing.role.taken).toBeGreaterThanOrEqual(4);
  }, 30_000);

  it("notice that Chroma has lost its collections, and have them rebuilt", async () => {
    fixture.add(30);
    const [feeding, searching] = [open(), open()];
    await ready(feeding);
    await ready(searching);
    await dropAll();
    await fixture.expectRightAnswer(patient(searching));
    await ready(searching);
    await fixture.expectRightAnswer(searching);
  }, 30_000);

  it("leave Chroma to another node when they cannot reach it", async () => {
    fixture.add(30);
    const cutOff = open(proxy.url);
    await ready(cutOff);
    const other = open();
    proxy.decide(() => ({ status: 503, body: "{}" }));
    fixture.add(10);
    await ready(other);
    await fixture.expectRightAnswer(other);
    await expect(fixture.expectRightAnswer(cutOff)).rejects.toThrow("Chroma at");
    await eventually(async () => (await cutOff.status()).state === "degraded");
    proxy.decide(() => "pass");
    await ready(cutOff);
    await fixture.expectRightAnswer(patient(cutOff));
  }, 30_000);

  it("rebuild everything for a purge at any of them", async () => {
    fixture.add(30);
    const [feeding, searching] = [open(), open()];
    await ready(feeding);
    const before = await published();
    await searching.scrub();
    const after = await published();
    expect(idsIn(after).length).toBeGreaterThan(0);
    expect(idsIn(after).filter((id) => idsIn(before).includes(id))).toEqual([]);
    await fixture.expectRightAnswer(patient(searching));
    await feeding.scrub();
    expect(idsIn(await published()).filter((id) => idsIn(after).includes(id))).toEqual([]);
    await fixture.expectRightAnswer(patient(searching));
  }, 30_000);

  it("complete a purge that is requested during another", async () => {
    fixture.add(600);
    const [feeding, searching] = [open(proxy.url), open(proxy.url)];
    await ready(feeding);
    const before = proxy.requests.length;
    let wasAsked = false;
    let second: Promise<void> | undefined;
    proxy.decide((path) => {
      if (!wasAsked && path.endsWith("/upsert")) {
        wasAsked = true;
        second = searching.scrub();
      }
      return "pass";
    });
    await searching.scrub();
    await second;
    const dropped = proxy.requests.slice(before).filter(({ method }) => method === "DELETE");
    // The shared collection and the container's own, twice.
    expect(dropped.length).toBeGreaterThanOrEqual(4);
    await fixture.expectRightAnswer(patient(searching));
  }, 30_000);

  it("find everything when the feeding node dies between moving a container and announcing it", async () => {
    fixture.add(8);
    const { record } = fixture;
    const [setPlacement, replaceLayout] = [record.setPlacement.bind(record), record.replaceLayout.bind(record)];
    let isDead = false;
    record.setPlacement = async (...parameters) => {
      await setPlacement(...parameters);
      isDead = true;
      sharing.role.takeAway();
    };
    record.replaceLayout = async (...parameters) => {
      if (isDead) throw new Error("This node has died.");
      return replaceLayout(...parameters);
    };
    const role = withMethods<SharedRole>(sharing.role, {
      async take(signal) {
        if (isDead) await wait(60_000, undefined, { signal });
        return sharing.role.take(signal);
      },
    });
    const first = openNode({ ...sharing, role });
    opened.push(first);
    await ready(first);
    fixture.add(30);
    await eventually(() => isDead);
    await close(first);
    Object.assign(record, { setPlacement, replaceLayout });
    let hasTakenOut = false;
    proxy.decide((path) => {
      if (path.endsWith("/delete")) hasTakenOut = true;
      return hasTakenOut && path.endsWith("/count") ? "hang" : "pass";
    });
    open(proxy.url);
    const searching = open();
    await eventually(() => hasTakenOut);
    for (let round = 0; round < 10; round++) {
      await fixture.expectRightAnswer(searching).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
      await wait(20);
    }
    proxy.decide(() => "pass");
  }, 30_000);

  it("rebuild everything for a purge that failed halfway", async () => {
    fixture.add(30);
    const feeding = open(proxy.url);
    await ready(feeding);
    const before = idsIn(await published());
    const own = (await namesOf()).find((name) => name.endsWith("-1"))!;
    let isFailing = true;
    proxy.decide((path) => (isFailing && path.endsWith(own) ? { status: 503, body: "{}" } : "pass"));
    await feeding.scrub().catch(() => undefined);
    isFailing = false;
    await close(feeding);
    const next = open(proxy.url);
    await eventually(async () => idsIn(await published()).length === 2 && (await next.status()).state === "ready");
    const after = idsIn(await published());
    expect(after).toHaveLength(2);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    await fixture.expectRightAnswer(patient(next));
  }, 30_000);

  it("say why Chroma is not used when it no longer accepts writes", async () => {
    fixture.add(30);
    const nodes = [open(proxy.url), open(proxy.url)];
    for (const node of nodes) await ready(node);
    proxy.decide((path) => (path.endsWith("/upsert") ? { status: 507, body: "{}" } : "pass"));
    fixture.add(1);
    await eventually(async () => {
      const { state, reason } = await nodes[0]!.status();
      return state === "degraded" && reason !== undefined;
    }, 5_000);
    proxy.decide(() => "pass");
    for (const node of nodes) await ready(node);
  }, 30_000);

  it("notice after a failed search that Chroma came back incomplete", async () => {
    fixture.add(8);
    const feeding = open(proxy.url);
    await ready(feeding);
    const searching = open(proxy.url);
    await ready(searching);
    proxy.decide(() => ({ status: 503, body: "{}" }));
    await expect(fixture.expectRightAnswer(searching)).rejects.toThrow("Chroma at");
    const [name] = await namesOf();
    const collection = await server.open(name!);
    await collection.remove(await collection.idsOf(1, 4));
    proxy.decide(() => "pass");
    await eventually(async () => {
      const id = publishedCollections(await published())?.[0]?.id;
      return id && id !== collection.id && (await server.collection(name!, id).count()) === 8;
    }, 10_000);
    await fixture.expectRightAnswer(patient(searching));
  }, 30_000);
});

function idsIn(layout: unknown): string[] {
  return [...String(layout).matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id!);
}
