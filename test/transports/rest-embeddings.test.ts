import { afterEach, beforeEach, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";

const WAITS = { timeout: 20_000, interval: 50 };

let provider: ScriptedProvider;
let rest: OpenedRest;

beforeEach(async () => {
  provider = await startScriptedProvider();
  rest = await openRest({ asOwner: true });
  const memories = Array.from({ length: 90 }, (_, index) => ({
    content: `Barrel ${index} of Ute holds ${index} pears.`,
  }));
  await rest.send("POST", "/v4/memories", { containerTag: "cellar", memories });
  await rest.settle();
});
afterEach(async () => {
  await rest.close();
  await provider.close();
});

const status = async () => (await rest.send("GET", "/v3/embeddings")).body;
const direct = (action: string) => rest.send("POST", "/v3/embeddings", { action });
const use = () =>
  rest.core.changeEmbeddings(
    { actor: rest.actor },
    { action: "use", choice: { kind: "openai", model: "scripted", baseUrl: provider.url } },
  );

test("without a move, shows the active embedder and refuses every action", async () => {
  expect(await status()).toEqual({
    active: { name: "builtin", since: expect.any(String), isAnswering: true },
    next: null,
    previous: null,
  });
  for (const action of ["pause", "resume", "switch", "rollback", "drop"])
    expect((await direct(action)).status, action).toBe(409);
});

test("a move can be watched, paused, resumed, rolled back and dropped for good", async () => {
  provider.fail({ kind: "slow", ms: 300 }, 100);
  await use();
  await expect.poll(async () => (await status()).next?.done, WAITS).toBeGreaterThan(0);
  const paused = await direct("pause");
  expect(paused).toMatchObject({ status: 200, body: { done: expect.stringContaining("Paused") } });
  expect(paused.body.embeddings.next).toMatchObject({ state: "paused", total: 90, problem: null });
  expect(JSON.stringify(paused.body)).not.toContain(provider.url);
  provider.heal();
  await direct("resume");
  await expect.poll(async () => (await status()).active.name, WAITS).toBe("openai scripted");
  expect((await status()).previous).toMatchObject({ name: "builtin", keptUntil: expect.any(String) });

  expect((await direct("rollback")).body.embeddings.active.name).toBe("builtin");
  expect((await direct("rollback")).body.embeddings.active.name).toBe("openai scripted");
  expect((await direct("drop")).body.embeddings).toMatchObject({ active: { name: "openai scripted" }, previous: null });
  expect((await direct("rollback")).status).toBe(409);
});

test("an embedder address cannot be set through this endpoint", async () => {
  const choice = { kind: "openai", model: "scripted", baseUrl: provider.url };
  for (const body of [{ action: "use", choice }, { action: "use" }, { action: 1 }, {}, null])
    expect((await rest.send("POST", "/v3/embeddings", body)).status).toBe(400);
  await rest.settle();
  expect(provider.requests).toEqual([]);
});
