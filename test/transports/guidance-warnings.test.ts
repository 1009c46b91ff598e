import { afterEach, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
afterEach(() => rest.close());

const PATCHED = {
  shouldLLMFilter: true,
  filterPrompt: "Keep decisions and preferences.",
  workspacePrompt: "We sell honey.",
  excludeItems: ["salary"],
};
const CONTEXT = { entityContext: "Notes about Mia, a customer." };

async function fieldsWarnedOf(method: string, path: string, body: Record<string, unknown>): Promise<string[]> {
  const answer = await rest.send(method, path, body);
  expect(answer.status).toBeLessThan(300);
  const warnings: readonly string[] = answer.body.warnings ?? [];
  return warnings.map((text) => text.split(":")[0] ?? "");
}

test("without a model, responses and the status name the guidance that has no effect", async () => {
  rest = await openRest({ asOwner: true });
  expect(await fieldsWarnedOf("PATCH", "/v3/settings", PATCHED)).toEqual(["filterPrompt", "workspacePrompt"]);
  expect(await fieldsWarnedOf("PATCH", "/v3/settings", { filterPrompt: "Never store salaries." })).toEqual([]);
  expect(await fieldsWarnedOf("PATCH", "/v3/container-tags/mia", CONTEXT)).toEqual(["entityContext"]);
  const document = { content: "Mia likes trains.", containerTag: "mia", ...CONTEXT };
  expect(await fieldsWarnedOf("POST", "/v3/documents", document)).toEqual(["entityContext"]);
  expect(await fieldsWarnedOf("POST", "/v3/documents/batch", { documents: [document, document] })).toEqual([
    "entityContext",
  ]);
  const { idleGuidance } = await rest.core.status({ actor: rest.actor });
  expect(idleGuidance).toEqual([
    "workspacePrompt: has no effect without a language model",
    "entityContext of 1 container: has no effect, or only a partial one, without a language model",
  ]);
});

test("with a model, no guidance is reported as having no effect", async () => {
  const settings = { RECOLLECT_LLM_BASE_URL: "http://127.0.0.1:9/v1", RECOLLECT_LLM_MODEL: "none" };
  rest = await openRest({ asOwner: true, settings });
  expect(await fieldsWarnedOf("PATCH", "/v3/settings", PATCHED)).toEqual([]);
  expect(await fieldsWarnedOf("PATCH", "/v3/container-tags/mia", CONTEXT)).toEqual([]);
  expect((await rest.core.status({ actor: rest.actor })).idleGuidance).toEqual([]);
});
