import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BlobStore } from "../../src/core/ports.js";
import { createId } from "../../src/lib/ids.js";

export interface OpenedBlobs {
  readonly blobs: BlobStore;
  close(): Promise<void>;
}

/** What every BlobStore must do. */
export function describeBlobs(name: string, open: () => Promise<OpenedBlobs>): void {
  describe(`blobs: ${name}`, () => {
    let opened: OpenedBlobs;
    let blobs: BlobStore;

    beforeEach(async () => {
      opened = await open();
      blobs = opened.blobs;
    });
    afterEach(() => opened.close());

    const BYTES = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256);
    const readAll = (key: string) => blobs.read(key, 0, 1_000_000);

    test("returns the exact bytes", async () => {
      const key = createId();
      await blobs.put(key, BYTES);
      expect(Uint8Array.from((await readAll(key)) ?? [])).toEqual(BYTES);
    });

    test.each([
      ["the beginning", 0, 10],
      ["the middle", 300, 400],
      ["across the end", 990, 500],
      ["after the end", 1_000, 5],
      ["nothing", 5, 0],
    ])("returns a piece: %s", async (_what, start, length) => {
      const key = createId();
      await blobs.put(key, BYTES);
      const piece = await blobs.read(key, start, length);
      expect(Uint8Array.from(piece ?? [255])).toEqual(BYTES.slice(start, start + length));
    });

    test("stores an empty file", async () => {
      const key = createId();
      await blobs.put(key, new Uint8Array());
      expect(await readAll(key)).toHaveLength(0);
    });

    test("returns nothing for a key that is unknown, removed or not an id", async () => {
      const key = createId();
      await blobs.put(key, BYTES);
      await blobs.remove(key);
      await blobs.remove(key);
      for (const absent of [key, createId(), "", "..", "../secret", "/etc/passwd", `${createId()}/x`, "a\0b"]) {
        expect(await readAll(absent)).toBeNull();
        expect(await blobs.read(absent, 0, 0)).toBeNull();
        await blobs.remove(absent);
      }
    });

    test("accepts only ids as keys", async () => {
      for (const key of ["", "..", "../outside", "x".repeat(22).replace("x", "/")])
        await expect(blobs.put(key, BYTES)).rejects.toThrow("The key of a blob must be an id");
    });

    test("a second put replaces the first", async () => {
      const key = createId();
      await blobs.put(key, BYTES);
      await blobs.put(key, Uint8Array.of(1, 2, 3));
      expect(Uint8Array.from((await readAll(key)) ?? [])).toEqual(Uint8Array.of(1, 2, 3));
    });

    test("stores a file's contents, also when asked twice and the file is gone by then", async () => {
      const [key, folder] = [createId(), await mkdtemp(join(tmpdir(), "recollect-kept-"))];
      const path = join(folder, "upload");
      await writeFile(path, BYTES);
      await blobs.keep(key, path);
      await blobs.keep(key, path);
      await rm(folder, { recursive: true });
      expect(Uint8Array.from((await readAll(key)) ?? [])).toEqual(BYTES);
      expect(await blobs.list()).toMatchObject([{ key }]);
      await expect(blobs.keep("../outside", path)).rejects.toThrow();
    });

    test("names the local file that contains the bytes, if there is one", async () => {
      const key = createId();
      await blobs.put(key, BYTES);
      const path = await blobs.pathOf(key);
      if (path !== null) expect(Uint8Array.from(await readFile(path))).toEqual(BYTES);
      for (const absent of [createId(), "", "..", "../secret"]) expect(await blobs.pathOf(absent)).toBeNull();
    });

    test("lists stored blobs with their age", async () => {
      expect(await blobs.list()).toEqual([]);
      const before = Date.now();
      const keys = [createId(), createId(), createId()];
      await Promise.all(keys.map((key) => blobs.put(key, BYTES)));
      await blobs.remove(keys[1] ?? "");
      const listed = await blobs.list();
      expect(listed).toHaveLength(2);
      expect(listed.map(({ key }) => key)).toEqual(expect.arrayContaining([keys[0], keys[2]]));
      // Some servers report whole seconds.
      const longest = Date.now() - before + 2_000;
      for (const { ageMs } of listed) expect(Math.abs(ageMs)).toBeLessThan(longest);
    });

    test("concurrent writes do not interfere with each other", async () => {
      const keys = Array.from({ length: 50 }, createId);
      await Promise.all(keys.map((key, index) => blobs.put(key, Uint8Array.of(index))));
      const read = await Promise.all(keys.map(readAll));
      expect(read.map((bytes) => bytes?.[0])).toEqual(keys.map((_key, index) => index));
    });
  });
}
