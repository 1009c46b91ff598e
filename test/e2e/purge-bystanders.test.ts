import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { type Bystander, watchService } from "../support/bystander.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 240_000 });

const KEY = "sm_tests_0123456789abcdefghijklmn";
const SETTINGS = { RECOLLECT_API_KEY: KEY, RECOLLECT_VECTORS: "exact" };
const DOCUMENTS = 6;
const LINES = 60_000;

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

/** Large documents of short lines, each of which states the same once. */
async function plant(send: Send, secret: string): Promise<void> {
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

/** The id of the memory that says it, as long as anybody finds it. */
async function memoryOf(send: Send, secret: string): Promise<string | undefined> {
  const { results } = await send("POST", "/v4/search", { q: secret, containerTag: "mia", searchMode: "memories" });
  return results[0]?.id;
}

const secretOf = (): string => `xq${randomBytes(9).toString("hex")}zv`;

/** How long the slowest answers took, and all of the work. */
async function watch(bystanders: readonly Bystander[], work: () => Promise<unknown>) {
  const began = performance.now();
  let all = 0;
  const working = work().then(() => (all = performance.now() - began));
  const slowest = await Promise.all(bystanders.map((bystander) => bystander.during(() => working)));
  return { slowest, all };
}

test("a purge out of many large documents, by a key of one container, holds up nobody's read or write", () =>
  withDataDirectory(async (data) => {
    const service = await startServe(data, SETTINGS);
    const [mia, tom] = [await keyOf(service, "mia"), await keyOf(service, "tom")];
    const send = senderTo(service, mia);
    const secret = secretOf();
    await plant(send, secret);
    const memoryId = await memoryOf(send, secret);
    await senderTo(service, tom)("POST", "/v3/documents", { content: "Tom keeps bees.", containerTag: "tom" });
    const write = watchService(service.url, {
      method: "PATCH",
      path: "/v3/container-tags/tom",
      headers: { "x-api-key": tom, "content-type": "application/json" },
      body: JSON.stringify({ name: "Tom" }),
      everyMs: 5,
    });
    const read = watchService(service.url);
    try {
      let purged: unknown;
      const { slowest, all } = await watch([read, write], async () => {
        purged = await send("POST", "/v3/purge", { memoryId, confirm: true });
      });
      expect(purged).toMatchObject({ documents: 0, passages: DOCUMENTS, statedIn: [], complete: true });
      for (const ms of slowest) expect(ms).toBeLessThan(all / 3);
      expect([read.failed(), write.failed()]).toEqual([0, 0]);
    } finally {
      await Promise.all([read.stop(), write.stop()]);
    }
    expect(findInFiles(data, [secret])).toEqual([]);
    await service.stop();
  }));

test("a purge that was killed among many documents goes on after a restart, and nobody finds the memory meanwhile", () =>
  withDataDirectory(async (data) => {
    const service = await startServe(data, SETTINGS);
    const send = senderTo(service, KEY);
    const secret = secretOf();
    await plant(send, secret);
    const memoryId = await memoryOf(send, secret);
    const asked = send("POST", "/v3/purge", { memoryId, confirm: true }).catch(() => null);
    const cut = async () => (await textsOf(send)).filter((text) => !text.includes(secret)).length;
    await waitFor(async () => (await cut()) > 0, "the first cut", 60);
    expect(await memoryOf(send, secret)).toBeUndefined();
    await service.stop("SIGKILL");
    expect(await asked).toBeNull();
    expect(findInFiles(data, [secret])).not.toEqual([]);

    const again = await startServe(data, SETTINGS);
    const sendAgain = senderTo(again, KEY);
    expect(await memoryOf(sendAgain, secret)).toBeUndefined();
    await waitFor(() => findInFiles(data, [secret]).length === 0, "the end of the purge", 90);
    for (const text of await textsOf(sendAgain)) expect(text.split("\n")).toHaveLength(LINES);
    await again.stop();
    expect(findInFiles(data, [secret])).toEqual([]);
  }));

async function listed(send: Send): Promise<{ id: string; content: string }[]> {
  const list = { containerTags: ["mia"], includeContent: true, limit: DOCUMENTS };
  return (await send("POST", "/v3/documents/list", list)).memories;
}

async function textsOf(send: Send): Promise<string[]> {
  return (await listed(send)).map(({ content }) => content);
}
