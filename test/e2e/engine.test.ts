import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import type { Diagnosis } from "../../src/core/index.js";
import { ENGINES_DIRECTORY, isAlive, provideEngine } from "../support/chroma.js";
import { McpLines } from "../support/mcp-lines.js";
import {
  expectNothingLeft,
  kill,
  readService,
  runProgram,
  type ServeProcess,
  startServe,
  waitFor,
  withDataDirectory,
} from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 90_000 });
beforeAll(provideEngine, 300_000);

/** Every search uses Chroma, even in small containers. */
const SETTINGS = { RECOLLECT_ENGINES_DIR: ENGINES_DIRECTORY, RECOLLECT_EXACT_LIMIT: "0" };
const FACTS = ["Paul tunes pianos.", "Rosa repairs bicycles.", "Sven writes crime novels."];

/** The engine's process id in the data folder, once it differs from `before`. */
function engineOf(data: string, before?: number): Promise<number> {
  const read = (): number | null => {
    try {
      return (JSON.parse(readFileSync(join(data, "chroma", "recollect.json"), "utf8")) as { pid: number }).pid;
    } catch {
      return null;
    }
  };
  return waitFor(() => [read()].find((pid) => pid !== null && pid !== before && isAlive(pid)), "an engine", 30);
}

async function send(service: ServeProcess, path: string, body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function addFacts(service: ServeProcess): Promise<void> {
  const memories = FACTS.map((content) => ({ content }));
  expect(await send(service, "/v4/memories", { memories, containerTag: "engine" })).toMatchObject({ status: 201 });
}

/** The search result for each fact, which is the fact itself as long as nothing is lost. */
async function findFacts(service: ServeProcess): Promise<string[]> {
  const answers = await Promise.all(
    FACTS.map((q) => send(service, "/v4/search", { q, containerTag: "engine", limit: 1, threshold: 0.5 })),
  );
  return answers.map(({ status, text }) => {
    const { results } = JSON.parse(text) as { results?: { memory?: string }[] };
    return status === 200 ? (results?.[0]?.memory ?? "nothing") : `${status} ${text}`;
  });
}

/** All files below a folder, as text. */
function textBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

/** Doctor compares the engine with the store. */
async function diagnose(data: string): Promise<Diagnosis> {
  return JSON.parse((await runProgram(data, ["doctor", "--json"], SETTINGS)).stdout) as Diagnosis;
}

test("killing the engine breaks no search, and it restarts; deleting its folder while stopped loses nothing", () =>
  withDataDirectory(async (data) => {
    const service = await startServe(data, SETTINGS);
    await addFacts(service);
    let engine = await engineOf(data);
    const wrong: string[][] = [];
    let isSearching = true;
    const searching = (async () => {
      while (isSearching) {
        const found = await findFacts(service);
        if (found.join() !== FACTS.join()) wrong.push(found);
      }
    })();
    for (let time = 1; time <= 2; time++) {
      kill(engine, "SIGKILL");
      engine = await engineOf(data, engine);
    }
    await waitFor(async () => (await diagnose(data)).checks.every(({ ok }) => ok), "a sound engine", 30);
    isSearching = false;
    await searching;
    expect(wrong).toEqual([]);
    await service.stop();
    expect(isAlive(engine)).toBe(false);
    await expectNothingLeft(data);

    await rm(join(data, "chroma"), { recursive: true });
    const again = await startServe(data, SETTINGS);
    expect(await findFacts(again)).toEqual(FACTS);
    await engineOf(data, engine);
    await waitFor(async () => (await diagnose(data)).checks.every(({ ok }) => ok), "a sound engine", 30);
    expect(await findFacts(again)).toEqual(FACTS);
    await again.stop();
    await expectNothingLeft(data);
  }));

test("the engine of a killed owner ends, and the next owner starts its own", () =>
  withDataDirectory(async (data) => {
    const mcp = new McpLines(data, SETTINGS);
    await mcp.initialize();
    await mcp.call(1, "add-memory", { content: "Tara climbs.", wait: 30 });
    const first = await engineOf(data);
    const service = await startServe(data, SETTINGS);

    await mcp.stop("SIGKILL");
    const second = await engineOf(data, first);
    expect(isAlive(first)).toBe(false);
    expect(readService(data)?.pid).toBe(service.child.pid);

    await service.stop("SIGKILL");
    await waitFor(() => !isAlive(second), "the end of the engine", 10);
  }));

test("when an owner exits normally, its engine ends before the next one starts", () =>
  withDataDirectory(async (data) => {
    const mcp = new McpLines(data, SETTINGS);
    await mcp.initialize();
    await mcp.call(1, "add-memory", { content: "Tara climbs.", wait: 30 });
    const first = await engineOf(data);
    const service = await startServe(data, SETTINGS);
    const ended = mcp.end();
    const second = await engineOf(data, first);
    expect(isAlive(first)).toBe(false);
    expect(await ended).toMatchObject({ code: 0 });
    await service.stop("SIGINT");
    expect(isAlive(second)).toBe(false);
    await expectNothingLeft(data);
  }));

test("the engine stores no word of a text", () =>
  withDataDirectory(async (data) => {
    const service = await startServe(data, SETTINGS);
    await engineOf(data);
    await addFacts(service);
    await waitFor(
      async () => (await diagnose(data)).checks.some(({ detail }) => /[1-9] of \d+ sampled/.test(detail)),
      "rows",
    );
    const kept = textBelow(join(data, "chroma"));
    expect(["pianos", "bicycles", "Sven", "crime", "repairs"].filter((word) => kept.includes(word))).toEqual([]);
    expect(kept).toContain("container");
    await service.stop();
    await expectNothingLeft(data);
  }));
