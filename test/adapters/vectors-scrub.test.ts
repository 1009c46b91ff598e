import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { createVectors, type Vectors, type VectorsOptions } from "../../src/adapters/vectors/index.js";
import type { VectorSpace } from "../../src/core/types.js";
import {
  ENGINES_DIRECTORY,
  eventually,
  provideEngine,
  rememberingLog,
  startEngine,
  temporaryDirectory,
} from "../support/chroma.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { MemoryVectorRecord } from "../support/vector-record.js";
import { randomVector, seededRandom } from "../support/vectors.js";

const SPACE: VectorSpace = { id: 1, fingerprint: "test", dimensions: 32 };
const UNITS = 60;
const GONE = 7;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let record: MemoryVectorRecord;
let opened: Vectors[];
let vectors: Float32Array[];

beforeAll(provideEngine, 300_000);

beforeEach(async () => {
  directory = await temporaryDirectory();
  opened = [];
  const random = seededRandom(11);
  vectors = Array.from({ length: UNITS }, () => randomVector(SPACE.dimensions, random));
  record = new MemoryVectorRecord();
  record.addSpace(SPACE);
  for (const [unit, vector] of vectors.entries()) record.put(SPACE, 1, unit, vector);
});

afterEach(async () => {
  for (const index of opened) await index.close();
  await directory.remove();
});

function open(options: Partial<VectorsOptions> = {}): Vectors {
  const index = createVectors({
    record,
    log: rememberingLog(),
    namespace: "scrub",
    dataDirectory: directory.path,
    enginesDirectory: ENGINES_DIRECTORY,
    offline: true,
    exactLimit: 0,
    mode: "auto",
    engine: "background",
    tuning: { pollMs: 20 },
    ...options,
  });
  opened.push(index);
  return index;
}

const isComplete = async (index: Vectors) => {
  const { state, behind } = await index.status();
  return state === "ready" && behind === 0;
};

/** The beginning of a vector as every index stores it. */
const bytesOf = (unit: number) => new Uint8Array(vectors[unit]!.slice(0, 6).buffer);
const found = (unit: number) => findInFiles(join(directory.path, "chroma"), [bytesOf(unit)]);

const nearest = async (index: Vectors, unit: number) => {
  const query = { space: SPACE, containerIds: [1], kinds: ["chunk", "memory"] as const, vector: vectors[unit]! };
  return (await index.nearest({ ...query, limit: 3 })).map((hit) => hit.unit);
};

describe("removed vectors", () => {
  test("are in no file of the local engine after a scrub; the others are found throughout", async () => {
    const index = open();
    await eventually(() => isComplete(index));
    record.put(SPACE, 1, GONE, null);
    await eventually(() => isComplete(index));
    expect(found(GONE), "the engine keeps what was removed").not.toEqual([]);
    await index.scrub();
    expect(found(GONE)).toEqual([]);
    expect(await nearest(index, 3)).toContain(3);
    await eventually(async () => (await isComplete(index)) && found(3).length > 0);
    expect(await nearest(index, 3)).toContain(3);
    expect(await nearest(index, GONE)).not.toContain(GONE);
    await index.close();
    expect([found(GONE), found(3).length > 0]).toEqual([[], true]);
  }, 90_000);

  test("are in no file of an engine that is not running, or of one that was set aside", async () => {
    const before = open();
    await eventually(() => isComplete(before));
    await before.close();
    await mkdir(join(directory.path, "chroma.set-aside-2024"));
    await writeFile(join(directory.path, "chroma.set-aside-2024", "data"), bytesOf(GONE));
    await writeFile(join(directory.path, "chromatic"), "another file");
    record.put(SPACE, 1, GONE, null);
    await open({ engine: "off" }).scrub();
    expect(findInFiles(directory.path, [bytesOf(GONE)])).toEqual([]);
    expect(findInFiles(directory.path, ["another file"])).toHaveLength(1);
  }, 90_000);

  test("are removed with the collections of a remote server, immediately or at the next connection", async () => {
    const elsewhere = await temporaryDirectory();
    const server = await startEngine(elsewhere.path);
    try {
      const index = open({ url: server.url });
      await eventually(() => isComplete(index));
      record.put(SPACE, 1, GONE, null);
      await index.scrub();
      expect(await nearest(index, 3)).toContain(3);
      expect(await nearest(index, GONE)).not.toContain(GONE);
      await eventually(() => isComplete(index));
      await index.close();
      await open({ url: server.url, engine: "off" }).scrub();
      const again = open({ url: server.url });
      await eventually(() => isComplete(again));
      expect(await nearest(again, 3)).toContain(3);
    } finally {
      await server.close();
      await elsewhere.remove();
    }
  }, 90_000);
});
