import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findInFiles } from "../support/data-folder-scan.js";
import { openDatabase } from "../support/store-folder.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { openRest, type OpenedRest } from "../support/rest.js";

vi.setConfig({ testTimeout: 30_000 });

/** Makes every store count as too large for memory. */
const settings = { RECOLLECT_VACUUM_MEGABYTES: "0" };

let dataDirectory: string;
let rest: OpenedRest;
let url: string;

async function open(): Promise<void> {
  rest = await openRest({ dataDirectory, settings });
  ({ url } = await rest.listen());
}

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-purge-large-"));
  await open();
});
afterEach(async () => {
  await rest.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

async function post(path: string, body: object): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(await rest.ownerKey()) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}
const add = (content: string, containerTag: string) => post("/v3/documents", { content, containerTag });
const found = async (q: string, containerTag: string) =>
  JSON.stringify((await post("/v4/search", { q, containerTag })).body);

test("writes and searches stay correct after a purge that rewrote the store on disk", async () => {
  await add("Bruno repairs violins in Cremona.", "kept");
  const { body } = await add("The password is xqsecretzv.", "gone");
  await rest.settle();
  expect(await found("violins", "kept")).toContain("Cremona");
  const purged = await post("/v3/purge", { documentId: body.id, confirm: true });
  expect(purged).toMatchObject({ status: 200, body: { documents: 1, complete: true } });
  expect(findInFiles(dataDirectory, ["xqsecretzv"])).toEqual([]);

  const added = await add("Bruno moved his workshop to Verona.", "kept");
  expect(added.status).toBe(200);
  await rest.settle();
  // The caches of the search learn of changes after the purge just as before it.
  expect(await found("violins", "kept")).toContain("Cremona");
  expect(await found("workshop", "kept")).toContain("Verona");
  const removed = await fetch(`${url}/v3/documents/${added.body.id}`, { method: "DELETE" });
  expect(removed.status).toBe(204);
  expect(await found("workshop", "kept")).not.toContain("Verona");
  expect(await post("/v3/purge", { containerTag: "gone", confirm: true })).toMatchObject({ status: 200 });
});

test("readers do not wait while a large store is rewritten", async () => {
  const { body } = await add("Mia keeps bees.", "gone");
  await rest.settle();
  const filler = await openDatabase(join(dataDirectory, STORE_FILE));
  filler.exec("create table filler (bytes blob) strict");
  for (let megabytes = 0; megabytes < 80; megabytes += 1)
    filler.exec("insert into filler values (randomblob(1048576))");
  filler.close();
  let longest = 0;
  let last = performance.now();
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 2);
  const began = performance.now();
  expect(await post("/v3/purge", { documentId: body.id, confirm: true })).toMatchObject({ status: 200 });
  const all = performance.now() - began;
  clearInterval(ticking);
  expect(longest).toBeLessThan(all / 2);
});

test("a purge during other writes loses none of them and duplicates none", async () => {
  const { body } = await add("The password is xqsecretzv.", "gone");
  await rest.settle();
  const writes = Array.from({ length: 30 }, (_, at) => add(`Note ${at} of the workshop.`, "kept"));
  const [purged, ...answers] = await Promise.all([
    post("/v3/purge", { documentId: body.id, confirm: true }),
    ...writes,
  ]);
  expect(purged).toMatchObject({ status: 200, body: { complete: true } });
  expect(answers.map(({ status }) => status)).toEqual(writes.map(() => 200));
  await rest.settle();
  const listed = await post("/v3/documents/list", { containerTags: ["kept"], limit: 100 });
  expect(listed.body.pagination.totalItems).toBe(30);
});

test("a purge that was interrupted does not prevent the service from starting, and is completed then", async () => {
  const { body } = await add("The password is xqsecretzv.", "gone");
  await rest.settle();
  const file = join(dataDirectory, STORE_FILE);
  const reader = await openDatabase(file);
  reader.exec("begin; select count(*) from documents");
  // The write-ahead log cannot be emptied while another connection reads the old state.
  const purged = await post("/v3/purge", { documentId: body.id, confirm: true });
  expect(purged).toMatchObject({ status: 200, body: { documents: 1, complete: false } });
  await rest.close();
  reader.exec("rollback");
  reader.exec("update jobs set run_at = '2020-01-01T00:00:00.000Z' where kind = 'purge'");
  reader.close();

  await open();
  await rest.settle();
  expect((await add("Bruno repairs violins in Cremona.", "kept")).status).toBe(200);
  await rest.settle();
  expect(await found("violins", "kept")).toContain("Cremona");
  expect(findInFiles(dataDirectory, ["xqsecretzv"])).toEqual([]);
});
