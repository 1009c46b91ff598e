import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCore } from "../support/open-core.js";
import { runCommand } from "../support/command-line.js";
import { openRest } from "../support/rest.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

let provider: ScriptedModel;
let dataDirectory: string;
beforeEach(async () => {
  provider = await startScriptedModel();
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-failures-"));
});
afterEach(async () => {
  await provider.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

const settingsWith = (apiKey: string) => ({
  RECOLLECT_LLM_BASE_URL: provider.url,
  RECOLLECT_LLM_MODEL: "scripted",
  RECOLLECT_LLM_API_KEY: apiKey,
});
const CONTENT = { content: "I live in Lisbon.", containerTag: "home", dreaming: "instant" };

test("a document that the model refused says so over HTTP, by itself and in the list with memories", async () => {
  provider.always(() => ({ fault: "status", status: 401 }));
  const rest = await openRest({ settings: settingsWith("sk-old") });
  try {
    const { id } = (await rest.send("POST", "/v3/documents", CONTENT)).body;
    await rest.settle();
    const { body } = await rest.send("GET", `/v3/documents/${id}`);
    expect(body).toMatchObject({ status: "done", dreamingReason: expect.stringContaining("(401)") as string });
    const { error, steps, finalStatus } = body.processingMetadata;
    expect({ error, finalStatus }).toEqual({ error: expect.stringContaining("(401)") as string, finalStatus: "done" });
    expect(steps).toMatchObject([{ name: "facts", status: "failed", error, metadata: { attempts: 0 } }]);
    expect(JSON.stringify(body)).not.toContain("sk-old");
    const list = await rest.send("POST", "/v3/documents/documents", { containerTags: ["home"] });
    expect(list.body.documents[0].processingMetadata).toEqual(body.processingMetadata);
  } finally {
    await rest.close();
  }
});

test("recollect status counts documents that the model refused, and a start with another key reads them again", async () => {
  provider.always(() => ({ fault: "status", status: 401 }));
  const before = await openCore({ dataDirectory, settings: settingsWith("sk-old") });
  const { id } = await before.core.addDocument({ actor: before.actor }, { ...CONTENT, containerTags: ["home"] });
  await before.settle();
  await before.close();
  const openDoor = () => openCore({ dataDirectory, settings: settingsWith("sk-old") });
  const { stdout } = await runCommand(dataDirectory, ["status"], { starters: { openDoor } });
  expect(stdout).toMatch(/by rules +1 document instead of by the language model, to be read again once it answers/);
  expect(stdout).toMatch(/why +The language model refused the key \(401\)/);

  const fact = { text: "User lives by the Tagus.", kind: "fact", isStatic: true, eventDates: [], forgetAfter: null };
  const facts = [{ ...fact, entities: [], buckets: [], quote: "in Lisbon" }];
  provider.always(() => JSON.stringify({ facts, summary: "", title: "", relations: [], derived: [] }));
  const after = await openCore({ dataDirectory, settings: settingsWith("sk-new") });
  try {
    await after.settle();
    const { memories, modelFailures } = await after.core.getDocument({ actor: after.actor }, { id });
    expect(memories.map(({ text }) => text)).toContain("User lives by the Tagus.");
    expect(modelFailures).toEqual([]);
  } finally {
    await after.close();
  }
});

test("recollect status distinguishes documents that wait for facts from those that are not searchable yet", async () => {
  const settings = { RECOLLECT_DREAM_QUIET: "3600" };
  const openDoor = () => openCore({ dataDirectory, settings });
  const before = await openDoor();
  const document = { content: "I live in Lisbon.", containerTags: ["home"] };
  await before.core.addDocument({ actor: before.actor }, document);
  const status = () => before.core.status({ actor: before.actor });
  await expect.poll(status).toMatchObject({ waitingDocuments: 1, unsearchableDocuments: 0 });
  await before.close();
  const { stdout } = await runCommand(dataDirectory, ["status"], { starters: { openDoor } });
  expect(stdout).toMatch(/waiting +0 documents are not searchable yet, 1 document is found but not read for facts yet/);
});
