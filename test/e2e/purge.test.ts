import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test, vi } from "vitest";
import { ENGINES_DIRECTORY, provideEngine } from "../support/chroma.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { runProgram, type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 120_000 });
beforeAll(provideEngine, 300_000);

/** A purge requires a key. */
const KEY = "sm_tests_0123456789abcdefghijklmn";
/** Vectors of every container go to Chroma. */
const SETTINGS = {
  RECOLLECT_API_KEY: KEY,
  RECOLLECT_ENGINES_DIR: ENGINES_DIRECTORY,
  RECOLLECT_EXACT_LIMIT: "0",
};
const token = (): string => `xq${randomBytes(9).toString("hex")}zv`;

async function send(service: ServeProcess, method: string, path: string, body?: object) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { "x-api-key": KEY, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function sendAgainWhileAway(send: () => Promise<Response>): Promise<Response> {
  for (let left = 20; left > 0; left -= 1) {
    const response = await send();
    if (response.status !== 503) return response;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return send();
}

async function upload(service: ServeProcess, word: string): Promise<void> {
  const form = new FormData();
  form.set("file", new File([`# ${word}\n\nAda keeps ${word} in the shed.`], `${word}.md`, { type: "text/markdown" }));
  form.set("containerTags", "gone");
  // A purge that resumes after a restart may delete files during their upload, and asks for them again.
  const response = await sendAgainWhileAway(() =>
    fetch(`${service.url}/v3/documents/file`, { method: "POST", body: form }),
  );
  expect([response.status, await response.json()]).toEqual([
    response.status < 300 ? response.status : 200,
    expect.anything(),
  ]);
}

/** Documents, memories, a file and a container description with unique words, all processed and in Chroma. */
async function plant(service: ServeProcess, documents: number): Promise<string[]> {
  const words = Array.from({ length: documents }, token);
  const file = token();
  for (let start = 0; start < documents; start += 100)
    await send(service, "POST", "/v3/documents/batch", {
      documents: words.slice(start, start + 100).map((word) => ({
        content: `I live in ${word}.`,
        customId: word,
        metadata: { team: word },
        containerTag: "gone",
      })),
    });
  const said = token();
  await send(service, "PATCH", "/v3/container-tags/gone", {
    name: `Notes on ${said}`,
    entityContext: `Everything about ${said}.`,
    memoryFilesystemPaths: [`/${said}/`],
    profileBuckets: [{ key: "places", description: `Where ${said} is.` }],
  });
  await upload(service, file);
  await send(service, "POST", "/v3/documents", { content: "Bruno repairs violins.", containerTag: "kept" });
  await waitFor(
    async () => {
      const { body } = await send(service, "GET", "/v3/documents/processing");
      return body.totalCount === 0;
    },
    "the end of the work",
    60,
  );
  return [...words, file, said];
}

const isKept = async (service: ServeProcess) =>
  JSON.stringify((await send(service, "POST", "/v4/search", { q: "violins", containerTag: "kept" })).body).includes(
    "Bruno",
  );

test("no purged word is in any file: while the service runs, after it stopped, and after a restart", () =>
  withDataDirectory(async (data) => {
    const service = await startServe(data, SETTINGS);
    const words = await plant(service, 20);
    expect(findInFiles(data, words)).not.toEqual([]);
    const { status, body } = await send(service, "POST", "/v3/purge", { containerTag: "gone", confirm: true });
    expect([status, body]).toEqual([200, expect.objectContaining({ documents: 21, files: 1, complete: true })]);
    expect(findInFiles(data, words)).toEqual([]);
    expect(await isKept(service)).toBe(true);
    await service.stop();
    expect(findInFiles(data, words)).toEqual([]);
    const again = await startServe(data, SETTINGS);
    expect(await isKept(again)).toBe(true);
    await again.stop();
    expect(findInFiles(data, words)).toEqual([]);
  }));

test("a purge that was acknowledged or started is completed after a kill", () =>
  withDataDirectory(async (data) => {
    const all: string[] = [];
    let service = await startServe(data, SETTINGS);
    for (const delay of [0, 60, 200]) {
      const words = await plant(service, 12);
      all.push(...words);
      const asked = send(service, "POST", "/v3/purge", { containerTag: "gone", confirm: true }).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, delay));
      await service.stop("SIGKILL");
      await asked;
      service = await startServe(data, SETTINGS);
      // If it was killed before the decisive commit, the purge is requested again, as a client would.
      const repeated = await send(service, "POST", "/v3/purge", { containerTag: "gone", confirm: true });
      expect([200, 404]).toContain(repeated.status);
      // Each check reads all files.
      const isGone = () => sleep(200).then(() => findInFiles(data, words).length === 0);
      await waitFor(isGone, `the end of a purge killed after ${delay} ms`, 40);
      expect(await isKept(service)).toBe(true);
    }
    await service.stop();
    expect(findInFiles(data, all)).toEqual([]);
  }));

test("a purged memory is in no file either, and a store too large for memory stays writable", () =>
  withDataDirectory(async (data) => {
    const settings = { ...SETTINGS, RECOLLECT_VACUUM_MEGABYTES: "0" };
    const service = await startServe(data, settings);
    const word = token();
    const content = `My wifi password is ${word}. I like tea.`;
    const { body: added } = await send(service, "POST", "/v3/documents", { content, containerTag: "kept" });
    const memory = async () => {
      const query = { q: "wifi password", containerTag: "kept", searchMode: "memories" };
      return (await send(service, "POST", "/v4/search", query)).body.results[0]?.id;
    };
    await waitFor(async () => (await memory()) !== undefined, "the memory", 60);
    const { body } = await send(service, "POST", "/v3/purge", { memoryId: await memory(), confirm: true });
    expect(body).toMatchObject({ documents: 0, memories: 1, passages: 1, complete: true });
    expect(findInFiles(data, [word])).toEqual([]);
    const contentOf = async (on: ServeProcess) => (await send(on, "GET", `/v3/documents/${added.id}`)).body;
    await waitFor(async () => (await contentOf(service)).status === "done", "the rest of the document", 60);
    expect(await contentOf(service)).toMatchObject({ content: "I like tea.", title: "I like tea." });
    const more = { content: "Bruno repairs violins.", containerTag: "kept" };
    expect((await send(service, "POST", "/v3/documents", more)).status).toBe(200);
    await service.stop();
    expect(findInFiles(data, [word])).toEqual([]);
    const again = await startServe(data, settings);
    await waitFor(() => isKept(again), "what was written after the purge", 60);
    expect((await send(again, "POST", "/v3/purge", { containerTag: "kept", confirm: true })).status).toBe(200);
    await again.stop();
  }));

test("`recollect purge` does the same without a running service", () =>
  withDataDirectory(async (data) => {
    const word = token();
    const settings = { ...SETTINGS };
    const add = await runProgram(data, ["add", "--text", `I live in ${word}.`, "--json"], settings);
    expect(add.code).toBe(0);
    const { id } = JSON.parse(add.stdout) as { id: string };
    expect(findInFiles(data, [word])).not.toEqual([]);
    expect((await runProgram(data, ["purge", "--document", id], settings)).code).toBe(2);
    const purged = await runProgram(data, ["purge", "--document", id, "--yes", "--json"], settings);
    expect(JSON.parse(purged.stdout)).toMatchObject({ documents: 1, memories: 1, files: 0, complete: true });
    expect(findInFiles(data, [word])).toEqual([]);
  }));
