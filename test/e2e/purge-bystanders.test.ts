import { randomBytes } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { watchService } from "../support/bystander.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 240_000 });

const KEY = "sm_tests_0123456789abcdefghijklmn";
const SETTINGS = { RECOLLECT_API_KEY: KEY, RECOLLECT_VECTORS: "exact" };
const DOCUMENTS = 6;
const LINES = 60_000;
const secret = `xq${randomBytes(9).toString("hex")}zv`;

type Send = (method: string, path: string, body?: object) => Promise<any>;

function senderTo({ url }: ServeProcess, key: string): Send {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "x-api-key": key, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return text === "" ? {} : JSON.parse(text);
  };
}

async function keyOf(service: ServeProcess, containerTag: string): Promise<string> {
  return (await senderTo(service, KEY)("POST", "/v3/auth/agent-key", { containerTag })).key;
}

/** Large documents of short lines, each of which contains the same statement once. */
async function plant(send: Send): Promise<void> {
  const said = `My locker code is ${secret}.`;
  for (let number = 0; number < DOCUMENTS; number += 1) {
    const lines = Array.from({ length: LINES }, (_, at) => `It is ${number} ${at}.`);
    lines.splice(LINES / 2, 0, said);
    await send("POST", "/v3/documents", {
      content: lines.join("\n"),
      containerTag: "mia",
      facts: [{ text: `Mia's locker code is ${secret}`, quote: said }],
    });
  }
  const isDone = async () => {
    if ((await send("GET", "/v3/documents/processing")).totalCount > 0) return false;
    const documents = await Promise.all((await listed(send)).map(({ id }) => send("GET", `/v3/documents/${id}`)));
    return documents.every(({ dreamingStatus }) => dreamingStatus === "done");
  };
  await waitFor(isDone, "the end of the work", 120);
}

/** The id of the memory with the secret, as long as it is found. */
async function memoryOf(send: Send): Promise<string | undefined> {
  const { results } = await send("POST", "/v4/search", { q: secret, containerTag: "mia", searchMode: "memories" });
  return results[0]?.id;
}

/** A folder with such documents, copied for each test; and the key of their container, which added them. */
let planted: string;
let mia: string;
beforeAll(async () => {
  planted = await mkdtemp(join(tmpdir(), "recollect-planted-"));
  const service = await startServe(planted, SETTINGS);
  try {
    mia = await keyOf(service, "mia");
    await plant(senderTo(service, mia));
  } finally {
    await service.stop();
  }
}, 240_000);
afterAll(() => rm(planted, { recursive: true, force: true }));

function withPlanted(work: (data: string, service: ServeProcess) => Promise<void>): Promise<void> {
  return withDataDirectory(async (data) => {
    await cp(planted, data, { recursive: true });
    await work(data, await startServe(data, SETTINGS));
  });
}

/** The number of changed documents seen by others right after each of their writes, for the duration of some work. */
async function countChangedBesideWrites(tom: Send, work: Promise<unknown>, changed: () => Promise<number>) {
  const counts = new Set<number>();
  let isOver = false;
  const ending = work.finally(() => (isOver = true));
  while (!isOver) {
    expect(await tom("PATCH", "/v3/container-tags/tom", { name: "Tom" })).toMatchObject({ name: "Tom" });
    counts.add(await changed());
  }
  await ending;
  return counts;
}

test("a purge from many large documents, with a key for one container, delays no other caller", () =>
  withPlanted(async (data, service) => {
    const send = senderTo(service, mia);
    const tom = senderTo(service, await keyOf(service, "tom"));
    const memoryId = await memoryOf(send);
    await tom("POST", "/v3/documents", { content: "Tom keeps bees.", containerTag: "tom" });
    const before = new Set(await updatesOf(send));
    const changed = async () => (await updatesOf(send)).filter((updatedAt) => !before.has(updatedAt)).length;
    const read = watchService(service.url);
    try {
      const began = performance.now();
      const purging = send("POST", "/v3/purge", { memoryId, confirm: true });
      const writing = countChangedBesideWrites(tom, purging, changed);
      const [slowestRead, counts] = await Promise.all([read.during(() => purging), writing]);
      const all = performance.now() - began;
      expect(await purging).toMatchObject({ documents: 0, passages: DOCUMENTS, statedIn: [], complete: true });
      // Writes succeeded between the documents: none waited for all of them.
      const between = [...counts].filter((count) => count > 0 && count < DOCUMENTS);
      expect(between.length).toBeGreaterThanOrEqual(2);
      expect(slowestRead).toBeLessThan(all / 3);
      expect(read.failed()).toBe(0);
    } finally {
      await read.stop();
    }
    expect(findInFiles(data, [secret])).toEqual([]);
    await service.stop();
  }));

test("a purge killed among many documents resumes after a restart, and the memory is not found meanwhile", () =>
  withPlanted(async (data, service) => {
    const send = senderTo(service, KEY);
    const memoryId = await memoryOf(send);
    const before = new Set(await updatesOf(send));
    const asked = send("POST", "/v3/purge", { memoryId, confirm: true }).catch(() => null);
    await waitFor(async () => (await memoryOf(send)) === undefined, "the removal of the memory", 60);
    // Without their texts, whose listing would take longer than a cut.
    const isCut = async () => (await updatesOf(send)).some((updatedAt) => !before.has(updatedAt));
    await waitFor(isCut, "the first cut", 60);
    await service.stop("SIGKILL");
    expect(await asked).toBeNull();
    expect(findInFiles(data, [secret])).not.toEqual([]);

    const again = await startServe(data, SETTINGS);
    const sendAgain = senderTo(again, KEY);
    expect(await memoryOf(sendAgain)).toBeUndefined();
    await waitFor(() => findInFiles(data, [secret]).length === 0, "the end of the purge", 90);
    const left = await textsOf(sendAgain);
    expect(left).not.toEqual([]);
    for (const text of left) expect(text.split("\n")).toHaveLength(LINES);
    await again.stop();
    expect(findInFiles(data, [secret])).toEqual([]);
  }));

async function listed(send: Send): Promise<{ id: string; content: string }[]> {
  const list = { containerTags: ["mia"], includeContent: true, limit: DOCUMENTS };
  return (await send("POST", "/v3/documents/list", list)).memories;
}

/** When each document was last changed. */
async function updatesOf(send: Send): Promise<string[]> {
  const { memories } = await send("POST", "/v3/documents/list", { containerTags: ["mia"], limit: DOCUMENTS });
  return memories.map(({ id, updatedAt }: { id: string; updatedAt: string }) => `${id} ${updatedAt}`);
}

async function textsOf(send: Send): Promise<string[]> {
  return (await listed(send)).map(({ content }) => content);
}
