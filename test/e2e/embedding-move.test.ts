import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmbeddingStatus } from "../../src/core/index.js";
import { openDatabase } from "../support/store-folder.js";
import { runProgram, startServe, type ServeProcess, withDataDirectory } from "../support/recollect-process.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";

const KEY = "sm_org_secret-of-the-moving-test";
const TEXTS = 400;
const WAITS = { timeout: 60_000, interval: 100 };
/** Texts per request. */
const BATCH = 64;

let provider: ScriptedProvider;
beforeEach(async () => {
  provider = await startScriptedProvider();
});
afterEach(() => provider.close());

const textOf = (index: number) =>
  `Note n${index}: Mia planted ${index} tulips beside gate g${index} in the ${index % 12}th month.`;

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  RECOLLECT_API_KEY: KEY,
  RECOLLECT_VECTORS: "exact",
  ...more,
});
const moving = () =>
  settings({
    RECOLLECT_EMBEDDER: "openai",
    RECOLLECT_EMBEDDING_BASE_URL: provider.url,
    RECOLLECT_EMBEDDING_MODEL: "scripted",
  });

async function post(service: ServeProcess, path: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function add(service: ServeProcess, from: number, count: number): Promise<void> {
  for (let start = from; start < from + count; start += 100) {
    const memories = Array.from({ length: Math.min(100, from + count - start) }, (_, index) => ({
      content: textOf(start + index),
    }));
    const { status } = await post(service, "/v4/memories", { containerTag: "garden", memories });
    expect(status).toBeLessThan(300);
  }
}

async function find(service: ServeProcess, index: number): Promise<void> {
  const { status, body } = await post(service, "/v4/search", {
    q: `tulips beside gate g${index}`,
    containerTag: "garden",
    threshold: 0,
  });
  expect(status).toBe(200);
  expect(JSON.stringify(body)).toContain(`gate g${index} `);
}

async function embeddings(dataDirectory: string): Promise<EmbeddingStatus> {
  const { stdout } = await runProgram(dataDirectory, ["embeddings", "--json"], settings());
  return JSON.parse(stdout) as EmbeddingStatus;
}

/** The same, through a service. */
async function embeddingsOf(service: ServeProcess): Promise<EmbeddingStatus> {
  const response = await fetch(`${service.url}/v3/embeddings`, { headers: { authorization: `Bearer ${KEY}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as EmbeddingStatus;
}

/** How often the embedder was asked for each text of the store. */
function asked(): Map<string, number> {
  const times = new Map<string, number>();
  for (const { body } of provider.requests)
    for (const text of body.input ?? [])
      if (/^Note n\d+:.*month\.$/.test(text)) times.set(text, (times.get(text) ?? 0) + 1);
  return times;
}

async function missing(dataDirectory: string): Promise<number> {
  const connection = await openDatabase(`${dataDirectory}/recollect.db`, { readOnly: true });
  try {
    const [row] = connection
      .prepare(
        `select count(*) as n from memories where is_latest = 1 and 1 <> (select count(*) from vectors v
           join vector_spaces s on s.id = v.space_id join embedder_roles r on r.fingerprint = s.fingerprint
           where r.role = 'active' and v.unit = memories.seq * 2 + 1)`,
      )
      .all() as { n: number }[];
    return row?.n ?? -1;
  } finally {
    connection.close();
  }
}

describe("a move to another embedder", () => {
  test(
    "survives kills, answers throughout, and repeats at most the requests that a kill interrupted",
    () =>
      withDataDirectory(async (dataDirectory) => {
        const first = await startServe(dataDirectory, settings());
        await add(first, 0, TEXTS);
        await first.stop();
        provider.fail({ kind: "slow", ms: 300 }, 1_000);
        let kills = 0;
        for (; kills < 3; kills += 1) {
          const before = provider.requests.length;
          const service = await startServe(dataDirectory, moving());
          await expect.poll(() => provider.requests.length, WAITS).toBeGreaterThan(before + 1);
          await find(service, 17 * kills);
          await add(service, TEXTS + kills, 1);
          await service.stop("SIGKILL");
        }
        provider.heal();
        const service = await startServe(dataDirectory, moving());
        let active = "";
        for (let index = 0; active !== "openai scripted"; index += 1) {
          await find(service, (index * 7) % TEXTS);
          active = (await embeddingsOf(service)).active.name;
        }
        await service.stop();
        const times = asked();
        expect(times.size).toBe(TEXTS + kills);
        const repeated = [...times.values()].reduce((sum, count) => sum + count - 1, 0);
        expect(repeated).toBeLessThanOrEqual(kills * BATCH);
        expect(await missing(dataDirectory)).toBe(0);
      }),
    180_000,
  );

  test(
    "shows and accepts the same state and actions in every process of the data folder",
    () =>
      withDataDirectory(async (dataDirectory) => {
        const service = await startServe(dataDirectory, settings());
        await add(service, 0, 50);
        const use = [
          "embeddings",
          "use",
          "openai",
          "--model",
          "scripted",
          "--base-url",
          provider.url,
          "--yes",
          "--json",
        ];
        const used = await runProgram(dataDirectory, use, settings());
        expect(JSON.parse(used.stdout)).toMatchObject({
          embeddings: { active: { name: "openai scripted" }, next: null },
        });
        const status = await runProgram(dataDirectory, ["status", "--json"], settings());
        expect(JSON.parse(status.stdout)).toMatchObject({ embedder: "openai scripted" });
        await find(service, 23);
        await runProgram(dataDirectory, ["embeddings", "rollback"], settings());
        await find(service, 24);
        await service.stop("SIGKILL");
        expect((await embeddings(dataDirectory)).active.name).toBe("builtin");
      }),
    120_000,
  );
});
