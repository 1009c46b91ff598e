import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Core } from "../../src/core/index.js";
import { sleep } from "../../src/lib/time.js";
import type { Access } from "../../src/transports/cli/cli.js";
import { sendFiles } from "../../src/transports/cli/files/add-files.js";
import { followFolder, type Mirror } from "../../src/transports/cli/watch/follow-folder.js";
import { openRoot, scanFolder, type WatchedRoot } from "../../src/transports/cli/watch/scan-folder.js";

import { openCore } from "../support/open-core.js";

let folder: string;
let root: WatchedRoot;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-follow-"));
  root = await openRoot(folder);
});
afterEach(async () => {
  await root.close();
  await rm(folder, { recursive: true, force: true });
});

test(
  "following a folder retries a temporary failure soon, however long the upload took",
  { timeout: 60_000 },
  async () => {
    await writeFile(join(folder, "a.txt"), "hello");
    const ending = new AbortController();
    const [begins, ends]: [number[], number[]] = [[], []];
    const slow: Mirror = {
      async apply({ added }) {
        begins.push(performance.now());
        if (begins.length > 1) ending.abort();
        await sleep(1_500);
        ends.push(performance.now());
        return new Set(added);
      },
    };
    await followFolder(root, { ...(await scanFolder(root.path)), files: new Map() }, slow, ending.signal);
    const pause = (begins[1] ?? Infinity) - (ends[0] ?? 0);
    expect(pause).toBeLessThan(15_000);
  },
);

test("following refuses a folder with too many files instead of following part of it", async () => {
  for (const name of ["a.txt", "b.txt", "c.txt"]) await writeFile(join(folder, name), name);
  expect((await scanFolder(root.path, 3)).files.size).toBe(3);
  await expect(scanFolder(root.path, 2)).rejects.toMatchObject({
    kind: "too_large",
    message: expect.stringContaining("has more than 2 files, which is too many to follow") as string,
  });
});

test.each([
  ["storage_full", true],
  ["rate_limited", true],
  ["unavailable", true],
  ["invalid", undefined],
] as const)("a file refused as %s: whether it is retried unchanged", async (kind, isPassing) => {
  const file = join(folder, "a.txt");
  await writeFile(file, "hello");
  const opened = await openCore();
  const refusing: Core = { ...opened.core, addDocument: () => Promise.reject(new AppError(kind, "Not now.")) };
  const call = { actor: opened.actor };
  const { signal: ended } = new AbortController();
  const access: Access = { core: refusing, read: call, newWrite: () => call, uploads: opened.uploads, ended };
  const adding = { files: [{ path: file, root: null }], shared: {}, waits: false };
  try {
    const [outcome] = await sendFiles(access, adding, { onOutcome: () => undefined });
    expect([outcome?.outcome, outcome?.isPassing]).toEqual(["failed", isPassing]);
  } finally {
    await opened.close();
  }
});
