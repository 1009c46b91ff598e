import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

const TEXT = `Ada sold the piano in Oslo. ${"The room was empty after that, and nobody played any more. ".repeat(6)}`;

let provider: ScriptedModel;
let rest: OpenedRest;

beforeEach(async () => {
  provider = await startScriptedModel();
  provider.describe(() => JSON.stringify({ title: "An empty room in Oslo", summary: "Ada sold the piano." }));
  rest = await openRest({
    asOwner: true,
    settings: { RECOLLECT_LLM_BASE_URL: provider.url, RECOLLECT_LLM_MODEL: "scripted", RECOLLECT_LLM_API_KEY: "sk-x" },
  });
});
afterEach(async () => {
  await rest.close();
  await provider.close();
});

test("a document shows what a model extracted: title, summary, and entities, dates and buckets of its memories", async () => {
  const fact = { text: "Ada sold the piano in Oslo.", kind: "episode", isStatic: false, eventDates: ["2024-05-01"] };
  const reading = { forgetAfter: null, entities: ["Ada", "Oslo"], buckets: ["music"], quote: "Ada sold the piano" };
  provider.always(() => JSON.stringify({ facts: [{ ...fact, ...reading }], summary: "" }));
  const profileBuckets = [{ key: "music", description: "Instruments and who plays them." }];
  await rest.send("PATCH", "/v3/settings", { profileBuckets });
  const added = await rest.send("POST", "/v3/documents", { content: TEXT, containerTags: ["a"], dreaming: "instant" });
  await rest.settle();

  const metadata = { temporalContext: { eventDate: ["2024-05-01"] }, entities: ["Ada", "Oslo"], buckets: ["music"] };
  const document = await rest.send("GET", `/v3/documents/${added.body.id}`);
  expect(document.body).toMatchObject({ title: "An empty room in Oslo", summary: "Ada sold the piano." });
  expect(document.body.memories).toMatchObject([{ memory: fact.text, metadata }]);
  const listed = await rest.send("POST", "/v4/memories/list", { containerTags: ["a"] });
  expect(listed.body.memoryEntries).toMatchObject([{ memory: fact.text, metadata }]);
  const profile = await rest.send("POST", "/v4/profile", { containerTag: "a" });
  expect(profile.body.profile.buckets).toEqual({ music: [`[Recent] ${fact.text}`] });

  const [{ id }] = listed.body.memoryEntries;
  await rest.send("PATCH", "/v4/memories", {
    id,
    containerTag: "a",
    newContent: fact.text,
    metadata: { entities: "mine" },
  });
  const changed = await rest.send("POST", "/v4/memories/list", { containerTags: ["a"] });
  expect(changed.body.memoryEntries).toMatchObject([{ metadata: { entities: "mine", buckets: ["music"] } }]);
});
