import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { questionOf, textsOf } from "../support/group-questions.js";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";
import { type ModelRequest, type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

vi.setConfig({ testTimeout: 60_000 });

const NAMES = ["Ada", "Bo", "Cy", "Di"];
const noteOf = (name: string): string => `${name} keeps bees near ${name}ville.`;

let provider: ScriptedModel;
beforeEach(async () => {
  provider = await startScriptedModel();
});
afterEach(() => provider.close());

const settings = () => ({
  RECOLLECT_LLM_BASE_URL: provider.url,
  RECOLLECT_LLM_MODEL: "scripted",
  RECOLLECT_LLM_API_KEY: "sk-secret",
  RECOLLECT_DREAM_QUIET: "1",
});

const PLAIN = { kind: "fact", isStatic: false, eventDates: [], forgetAfter: null, entities: [], buckets: null };

/** Every text states itself as a fact; relations are left to the rules. */
function answerTo(request: ModelRequest): string {
  const facts = textsOf(request).map(({ handle, text }) => ({ ...PLAIN, document: handle, text, quote: text }));
  const text = /--- ([0-9a-f]{16})\n([\s\S]*)\n--- \1/.exec(JSON.stringify(request.body).replaceAll("\\n", "\n"))?.[2];
  if (questionOf(request) === "extract_group") return JSON.stringify({ facts });
  if (questionOf(request) === "extract_facts")
    return JSON.stringify({ facts: [{ ...PLAIN, text, quote: text }], summary: "" });
  return "{}";
}

async function send(service: ServeProcess, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

const documentOf = (service: ServeProcess, name: string) => send(service, "GET", `/v3/documents/${name}`);

async function addAll(service: ServeProcess): Promise<void> {
  for (const name of NAMES)
    await send(service, "POST", "/v3/documents", { content: noteOf(name), customId: name, containerTag: "a" });
}

/** All documents were remembered, and each fact was stated once. */
async function expectWhole(service: ServeProcess): Promise<void> {
  for (const name of NAMES) {
    const document = await waitFor(async () => {
      const body = await documentOf(service, name);
      return body.status === "done" && body.dreamingStatus === "done" ? body : null;
    }, `the end of the work on ${name}`);
    expect(document.memories).toMatchObject([{ memory: noteOf(name), sourceCount: 1, version: 1 }]);
  }
  const { memoryEntries } = await send(service, "POST", "/v4/memories/list", { containerTags: ["a"], limit: 100 });
  expect(memoryEntries).toHaveLength(NAMES.length);
}

test("documents waiting for a quiet period continue to wait in the next process", () =>
  withDataDirectory(async (data) => {
    provider.always(answerTo);
    const patient = { ...settings(), RECOLLECT_DREAM_QUIET: "6" };
    const first = await startServe(data, patient);
    await addAll(first);
    const waiting = await waitFor(async () => (await documentOf(first, "Di")).dreamingReason, "a reason");
    expect(waiting).toMatch(/once none has arrived for 6 s/);
    await first.stop("SIGKILL");
    expect(provider.requests).toEqual([]);
    const second = await startServe(data, patient);
    try {
      await expectWhole(second);
      expect(provider.requests.filter((request) => questionOf(request) === "extract_group")).toHaveLength(1);
    } finally {
      await second.stop();
    }
  }));

test.each([1, 2, 3])(
  "when killed after %i of four documents of a group, the others are processed, and none twice",
  (count) =>
    withDataDirectory(async (data) => {
      // The question how the facts of a document relate to known ones comes immediately before they are written.
      let related = 0;
      provider.always((request) => {
        if (questionOf(request) !== "relate_facts") return answerTo(request);
        related += 1;
        return related === count ? { fault: "stall" } : "{}";
      });
      const first = await startServe(data, settings());
      await addAll(first);
      await waitFor(() => related >= count, "the question about the document in whose middle the process is killed");
      await first.stop("SIGKILL");
      provider.always(answerTo);
      const second = await startServe(data, settings());
      try {
        await expectWhole(second);
      } finally {
        await second.stop();
      }
    }),
);
