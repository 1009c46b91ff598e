import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type ServeProcess,
  startProgram,
  startServe,
  waitFor,
  withDataDirectory,
} from "../support/recollect-process.js";
import { type ModelRequest, type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

vi.setConfig({ testTimeout: 120_000 });

const DEADLY = "Ada keeps bees near Adaville, and this text ends whoever reads it.";

let provider: ScriptedModel;
beforeEach(async () => {
  provider = await startScriptedModel();
});
afterEach(() => provider.close());

async function send(service: ServeProcess, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

const settings = () => ({
  RECOLLECT_LLM_BASE_URL: provider.url,
  RECOLLECT_LLM_MODEL: "scripted",
  RECOLLECT_LLM_API_KEY: "sk-secret",
});
const PLAIN = { kind: "fact", isStatic: false, eventDates: [], forgetAfter: null, entities: [], buckets: null };
const NEIGHBOUR = "Bo keeps goats in Bexhill.";

/** Every text states its first sentence. */
function answerTo(request: ModelRequest): string {
  const text = [DEADLY, NEIGHBOUR].find((one) => JSON.stringify(request.body).includes(one)) ?? "";
  const quote = text.split(",")[0];
  return JSON.stringify({ facts: [{ ...PLAIN, text: quote, quote }], summary: "" });
}

test("a document that ran in two crashes is set aside, does not prevent a start, and can be read again", () =>
  withDataDirectory(async (data) => {
    const askedFor = (text: string) =>
      provider.requests.filter(({ body }) => JSON.stringify(body).includes(text)).length;
    provider.always(() => ({ fault: "stall" }));
    const first = await startServe(data, settings());
    for (const [customId, content] of [
      ["deadly", DEADLY],
      ["neighbour", NEIGHBOUR],
    ])
      await send(first, "POST", "/v3/documents", { content, customId, containerTag: customId, dreaming: "instant" });
    await waitFor(() => askedFor(DEADLY) === 1 && askedFor(NEIGHBOUR) === 1, "both to be read");
    await first.stop("SIGKILL");
    // Each of the two now runs alone at first, so that the next crash shows which one caused it.
    const second = await startServe(data, settings());
    await waitFor(() => askedFor(DEADLY) === 2, "the first of them to be read again");
    expect(askedFor(NEIGHBOUR)).toBe(1);
    await second.stop("SIGKILL");

    provider.always(answerTo);
    const service = await startServe(data, settings());
    try {
      const setAside = await waitFor(async () => {
        const document = await send(service, "GET", "/v3/documents/deadly");
        return document.dreamingReason?.includes("set aside") ? document : null;
      }, "setting the document aside");
      expect(setAside.dreamingReason).toContain(
        "The process ended in the middle of this step 2 times, so it was set aside",
      );
      expect([setAside.status, setAside.memories ?? [], askedFor(DEADLY)]).toEqual(["done", [], 2]);
      const memoriesOf = async (id: string) => (await send(service, "GET", `/v3/documents/${id}`)).memories ?? [];
      await waitFor(async () => (await memoriesOf("neighbour")).length === 1, "the neighbour to be read");

      const doctor = await startProgram(data, ["doctor"]).ended;
      expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(/remember.*set aside/)]);
      const status = await startProgram(data, ["status"]).ended;
      expect(status.stdout).toMatch(/1 given up/);
      expect((await startProgram(data, ["reprocess", setAside.id]).ended).code).toBe(0);
      await waitFor(async () => (await memoriesOf("deadly")).length === 1, "the document to be read again");
      const after = await send(service, "GET", "/v3/documents/deadly");
      expect(after.dreamingReason ?? null).toBeNull();
      expect((await startProgram(data, ["status"]).ended).stdout).toMatch(/0 given up/);
    } finally {
      await service.stop();
    }
  }));
