import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

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

test("a document whose work was running when the process died twice is set aside and holds up no start", () =>
  withDataDirectory(async (data) => {
    const settings = {
      RECOLLECT_LLM_BASE_URL: provider.url,
      RECOLLECT_LLM_MODEL: "scripted",
      RECOLLECT_LLM_API_KEY: "sk-secret",
    };
    const asked = () => provider.requests.filter(({ body }) => JSON.stringify(body).includes("Adaville")).length;
    provider.always(() => ({ fault: "stall" }));
    for (let death = 1; death <= 2; death += 1) {
      const doomed = await startServe(data, settings);
      if (death === 1)
        await send(doomed, "POST", "/v3/documents", { content: DEADLY, customId: "deadly", dreaming: "instant" });
      await waitFor(() => asked() >= death, `run ${death} of the job`);
      await doomed.stop("SIGKILL");
    }
    const asleep = asked();
    const service = await startServe(data, settings);
    try {
      const failed: string = await waitFor(async () => {
        const document = await send(service, "GET", "/v3/documents/deadly");
        return document.dreamingReason?.includes("set aside") ? document.dreamingReason : null;
      }, "setting the document aside");
      expect(failed).toContain("The process ended in the middle of this step 2 times, so it was set aside");
      expect(asked()).toBe(asleep);
      expect((await send(service, "GET", "/v3/documents/deadly")).status).toBe("done");
    } finally {
      await service.stop();
    }
  }));
