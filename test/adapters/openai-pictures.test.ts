import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { ModelRequest } from "../../src/core/ports.js";
import { silentLog } from "../support/open-core.js";
import {
  type Reply,
  scriptedLanguageModel,
  type ScriptedModel,
  startScriptedModel,
} from "../support/scripted-model.js";

let provider: ScriptedModel;
beforeEach(async () => {
  provider = await startScriptedModel();
});
afterEach(() => provider.close());

const GOOD = '{"word":"tea"}';
const QUESTION: ModelRequest<{ word: string }> = {
  name: "look",
  schema: z.object({ word: z.string() }),
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "What is it?" },
  ],
  effort: "fast",
};
const PICTURE = { mimeType: "image/png", bytes: Buffer.from("a picture") } as const;
const URL = `data:image/png;base64,${Buffer.from("a picture").toString("base64")}`;
const SHOWN = {
  role: "user",
  content: [
    { type: "text", text: "What is it?" },
    { type: "image_url", image_url: { url: URL } },
  ],
};
const refused = (status: number, error: Record<string, unknown> = { message: "no" }): Reply => ({
  fault: "status",
  status,
  error,
});

describe("a question with a picture", () => {
  test("carries it in the first user message, also when the answer has to be corrected", async () => {
    provider.script("tea", GOOD);
    const model = scriptedLanguageModel(provider, silentLog);
    expect((await model.generate({ ...QUESTION, picture: PICTURE })).value).toEqual({ word: "tea" });
    expect(provider.requests.map(({ body }) => body.messages)).toEqual([
      [{ role: "system", content: "Be brief." }, SHOWN],
      [
        { role: "system", content: "Be brief." },
        SHOWN,
        { role: "assistant", content: "tea" },
        { role: "user", content: expect.stringContaining("cannot be used") },
      ],
    ]);
  });

  test.each([400, 404, 415, 422, 501])(
    "fails as unsupported when refused with %i, and is not retried",
    async (status) => {
      provider.always(() => refused(status));
      const model = scriptedLanguageModel(provider, silentLog);
      const asking = model.generate({ ...QUESTION, picture: PICTURE });
      await expect(asking).rejects.toMatchObject({
        kind: "unsupported",
        message: `The language model at ${provider.url} refused the picture (${status}).`,
        quote: " It says: no",
      });
      expect(provider.requests).toHaveLength(1);
    },
  );

  test.each<[string, Reply, string]>([
    ["the key is wrong", refused(401), "invalid"],
    ["the account has no credit", refused(400, { message: "insufficient credit" }), "unavailable"],
    ["the service is too busy", refused(429), "unavailable"],
    ["the request is too large", refused(413), "too_large"],
    ["its text is too long", refused(400, { message: "maximum context length exceeded" }), "too_large"],
    ["the server fails", refused(500), "unavailable"],
  ])("fails like any other when %s", async (_what, reply, kind) => {
    provider.always(() => reply);
    const asking = scriptedLanguageModel(provider, silentLog).generate({ ...QUESTION, picture: PICTURE });
    await expect(asking).rejects.toMatchObject({ kind });
  });

  test("does not change the format of questions without one", async () => {
    const model = scriptedLanguageModel(provider, silentLog);
    const about = refused(400, { message: "failed to deserialize the JSON: image_url does not fit the schema" });
    provider.script(about, about, about);
    await expect(model.generate({ ...QUESTION, picture: PICTURE })).rejects.toMatchObject({ kind: "unsupported" });
    provider.script(GOOD);
    await model.generate(QUESTION);
    expect(provider.requests.at(-1)?.body).toMatchObject({
      messages: QUESTION.messages,
      response_format: { type: "json_schema" },
    });
  });
});
