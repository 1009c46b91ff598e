import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeForm } from "../support/forms.js";
import { openRest, type OpenedRest } from "../support/rest.js";
import { type Reply, type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

const SIGN = readFileSync(join(import.meta.dirname, "../fixtures/extractors/sign.png"));
const SEEN = "A heron stands on a wooden sign.";
const NO_FACTS = JSON.stringify({ facts: [], summary: "", relations: [], derived: [] });
const isLook = (request: object) => JSON.stringify(request).includes("image_url");

let model: ScriptedModel;
let rest: OpenedRest;
let reply: Reply;
beforeEach(async () => {
  model = await startScriptedModel();
  reply = JSON.stringify({ sees: true, description: SEEN });
  model.always((request) => (isLook(request) ? reply : NO_FACTS));
});
afterEach(async () => {
  await rest.close();
  await model.close();
});

async function open(settings: Record<string, string> = {}): Promise<void> {
  const named = { RECOLLECT_LLM_BASE_URL: model.url, RECOLLECT_LLM_MODEL: "scripted", RECOLLECT_DREAM_QUIET: "0" };
  rest = await openRest({ settings: { ...named, ...settings } });
}

async function upload() {
  const file = new File([SIGN], "sign.png", { type: "image/png" });
  const { bytes, headers } = await encodeForm({ file, containerTag: "harbour" });
  const { body } = await rest.send("POST", "/v3/documents/file", bytes, { ...headers });
  await rest.settle();
  return (await rest.send("GET", `/v3/documents/${body.id}`)).body;
}

describe("an uploaded picture", () => {
  test("is found by a model's description, on its page", async () => {
    await open();
    const document = await upload();
    expect(document).toMatchObject({ status: "done", type: "image", llmUse: { answers: 2 } });
    const q = { q: "heron", containerTag: "harbour", searchMode: "hybrid" };
    const { results } = (await rest.send("POST", "/v4/search", q)).body;
    expect(results[0]).toMatchObject({
      chunk: `Picture description by a language model: ${SEEN}`,
      place: { page: 1 },
    });
  });

  test("is processed without a description when the model cannot see, and its processing steps say so", async () => {
    reply = { fault: "status", status: 400, error: { message: "this model does not support images" } };
    await open();
    const { status, content, errorReason, processingMetadata } = await upload();
    expect([status, errorReason]).toEqual(["done", undefined]);
    expect(content).not.toContain("language model");
    expect(processingMetadata).toMatchObject({
      finalStatus: "done",
      steps: [
        { name: "read", status: "completed" },
        {
          name: "picture",
          status: "failed",
          finalStatus: "done",
          error: expect.stringContaining("RECOLLECT_LLM_PICTURES"),
          metadata: { attempts: 0, nextAttemptAt: null },
        },
      ],
    });
  });

  test("is not sent to a model when a setting forbids it", async () => {
    await open({ RECOLLECT_LLM_PICTURES: "off" });
    const { status, content, processingMetadata } = await upload();
    expect(status).toBe("done");
    expect(content).not.toContain("language model");
    expect(processingMetadata.steps).toHaveLength(1);
    expect(model.requests.filter(isLook)).toEqual([]);
  });
});
