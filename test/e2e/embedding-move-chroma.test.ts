import { afterAll, beforeAll, expect, test } from "vitest";
import type { EmbeddingStatus } from "../../src/core/index.js";
import { startEngine, temporaryDirectory } from "../support/chroma.js";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.js";
import { runProgram, startServe, type ServeProcess, withDataDirectory } from "../support/recollect-process.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";

const KEY = "sm_org_secret-of-the-chroma-moving-test";
const TEXTS = 300;
const WAITS = { timeout: 30_000, interval: 100 };
const COLLECTIONS = "/api/v2/tenants/default_tenant/databases/default_database/collections";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let engine: Awaited<ReturnType<typeof startEngine>>;
let chroma: FaultyProxy;
let provider: ScriptedProvider;

beforeAll(async () => {
  directory = await temporaryDirectory();
  engine = await startEngine(directory.path);
  chroma = await startFaultyProxy(() => engine.url);
  // With 64-dimensional vectors, a sample of the texts occasionally matches so badly that the move waits for a person.
  provider = await startScriptedProvider({ dimensions: 256 });
}, 300_000);

afterAll(async () => {
  await provider?.close();
  await chroma?.close();
  await engine?.close();
  await directory?.remove();
});

/** Makes every search use Chroma. */
const settings = () => ({ RECOLLECT_API_KEY: KEY, CHROMA_URL: chroma.url, RECOLLECT_EXACT_LIMIT: "0" });

async function post(service: ServeProcess, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

async function add(service: ServeProcess, from: number, count: number): Promise<void> {
  for (let start = from; start < from + count; start += 100) {
    const memories = Array.from({ length: Math.min(100, from + count - start) }, (_, index) => ({
      content: `Crate c${start + index}: Ola stored ${start + index} lamps below bridge b${start + index}.`,
    }));
    await post(service, "/v4/memories", { containerTag: "cellar", memories });
  }
}

async function find(service: ServeProcess, index: number): Promise<void> {
  const q = `lamps below bridge b${index}`;
  const answer = await post(service, "/v4/search", { q, containerTag: "cellar", threshold: 0 });
  expect(JSON.stringify(answer)).toContain(`bridge b${index}.`);
}

async function embeddings(dataDirectory: string, ...args: string[]): Promise<EmbeddingStatus> {
  const { stdout } = await runProgram(dataDirectory, ["embeddings", ...args, "--json"], settings());
  const said = JSON.parse(stdout) as EmbeddingStatus | { readonly embeddings: EmbeddingStatus };
  return "embeddings" in said ? said.embeddings : said;
}

/** The same, through a service. */
async function embeddingsOf(service: ServeProcess): Promise<EmbeddingStatus> {
  const response = await fetch(`${service.url}/v3/embeddings`, { headers: { authorization: `Bearer ${KEY}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as EmbeddingStatus;
}

/** Starts the move without waiting for it. */
function begin(dataDirectory: string): Promise<EmbeddingStatus> {
  const choice = ["openai", "--model", "scripted", "--base-url", provider.url];
  return embeddings(dataDirectory, "use", ...choice, "--yes", "--no-wait");
}

async function collections(): Promise<{ id: string; name: string }[]> {
  return (await (await fetch(`${engine.url}${COLLECTIONS}`)).json()) as { id: string; name: string }[];
}

/** The collections of a space share a prefix. */
const spaceOf = (name: string): string => name.split("-").slice(0, 3).join("-");

/** The number of vectors in Chroma by space. */
async function heldInChroma(): Promise<Record<string, number>> {
  const held: Record<string, number> = {};
  for (const { id, name } of await collections()) {
    const count = Number(await (await fetch(`${engine.url}${COLLECTIONS}/${id}/count`)).text());
    held[spaceOf(name)] = (held[spaceOf(name)] ?? 0) + count;
  }
  return held;
}

/** The spaces that a search queries in Chroma. */
async function askedBy(search: () => Promise<void>): Promise<string[]> {
  const before = chroma.requests.length;
  await search();
  const paths = chroma.requests.slice(before).map(({ path }) => path);
  const known = await collections();
  const asked = paths.flatMap((path) => known.find(({ id }) => path === `${COLLECTIONS}/${id}/query`) ?? []);
  return [...new Set(asked.map(({ name }) => spaceOf(name)))];
}

test(
  "vectors in Chroma move to another embedder and back, across a kill, and are deleted with their space",
  () =>
    withDataDirectory(async (dataDirectory) => {
      const first = await startServe(dataDirectory, settings());
      await add(first, 0, TEXTS);
      await expect.poll(heldInChroma, WAITS).toEqual({ [await onlySpace()]: TEXTS });
      const former = await onlySpace();
      await expect.poll(() => askedBy(() => find(first, 7)), WAITS).toEqual([former]);

      provider.fail({ kind: "slow", ms: 400 }, 1_000);
      await begin(dataDirectory);
      await expect.poll(async () => (await embeddingsOf(first)).next?.done, WAITS).toBeGreaterThan(0);
      await find(first, 8);
      await first.stop("SIGKILL");

      const second = await startServe(dataDirectory, settings());
      await add(second, TEXTS, 5);
      await find(second, TEXTS + 2);
      const { active, next } = await embeddings(dataDirectory);
      expect(active.name).toBe("builtin");
      expect(next?.done).toBeGreaterThan(0);
      provider.heal();
      for (let index = 20; (await embeddingsOf(second)).active.name !== "openai scripted"; index += 1)
        await find(second, index);

      const everything = TEXTS + 5;
      await expect.poll(async () => Object.values(await heldInChroma()), WAITS).toEqual([everything, everything]);
      const latter = Object.keys(await heldInChroma()).find((space) => space !== former) ?? "";
      await expect.poll(() => askedBy(() => find(second, 9)), WAITS).toEqual([latter]);

      await embeddings(dataDirectory, "rollback");
      await expect.poll(() => askedBy(() => find(second, 10)), WAITS).toEqual([former]);
      await add(second, everything, 5);
      await find(second, everything + 3);
      await embeddings(dataDirectory, "rollback");
      await expect.poll(() => askedBy(() => find(second, everything + 4)), WAITS).toEqual([latter]);
      await expect.poll(heldInChroma, WAITS).toEqual({ [former]: everything + 5, [latter]: everything + 5 });

      await embeddings(dataDirectory, "drop");
      await expect.poll(heldInChroma, WAITS).toEqual({ [latter]: everything + 5 });
      await find(second, 11);
      await second.stop();
    }),
  180_000,
);

async function onlySpace(): Promise<string> {
  return Object.keys(await heldInChroma())[0] ?? "";
}
