import { afterEach, beforeEach, expect, test } from "vitest";
import { createOpenAiTranscriber } from "../../src/adapters/transcribe/openai.js";
import { startScriptedTranscriber, type ScriptedTranscriber } from "../support/scripted-transcriber.js";

let service: ScriptedTranscriber;
beforeEach(async () => {
  service = await startScriptedTranscriber();
});
afterEach(() => service.close());

const RECORDING = { bytes: Uint8Array.of(1, 2, 3), name: "talk.wav", mimeType: "audio/wav" };
const listen = (apiKey: string | undefined = "secret-key") =>
  createOpenAiTranscriber({ baseUrl: service.url, model: "whisper-1", apiKey }).transcribe(
    RECORDING,
    new AbortController().signal,
  );

test("sends the recording and returns what was said, with times", async () => {
  service.answers = [
    () => ({
      body: {
        text: "Hello there. Bye.",
        segments: [
          { start: 0, end: 1.5, text: " Hello there." },
          { start: 2, end: 3, text: "Bye." },
        ],
      },
    }),
  ];
  expect(await listen()).toEqual([
    { start: 0, end: 1.5, text: "Hello there." },
    { start: 2, end: 3, text: "Bye." },
  ]);
  expect(service.recordings).toEqual([
    { authorization: "Bearer secret-key", model: "whisper-1", name: "talk.wav", bytes: RECORDING.bytes },
  ]);
});

test("returns one piece for a response without segments, and none without speech", async () => {
  service.answers = [
    () => ({ body: { text: "All of it.", duration: 9.5 } }),
    () => ({ body: { text: "All of it.", duration: 9.5, segments: [] } }),
    () => ({ body: { text: " " } }),
  ];
  expect(await listen()).toEqual([{ start: 0, end: 9.5, text: "All of it." }]);
  expect(await listen()).toEqual([{ start: 0, end: 9.5, text: "All of it." }]);
  expect(await listen()).toEqual([]);
});

test.each([
  ["busy", () => ({ status: 503, body: {} }), { kind: "unavailable", retryAfter: 30 }],
  ["disconnected", () => "hang up" as const, { kind: "unavailable", retryAfter: 30 }],
  ["no transcript", () => ({ body: { words: 3 } }), { kind: "unavailable" }],
  ["not JSON", () => ({ body: "<html>" }), { kind: "unavailable" }],
  [
    "out of credit",
    () => ({ status: 429, body: { error: { code: "insufficient_quota", message: "Pay." } } }),
    { kind: "unavailable", retryAfter: 3_600 },
  ],
  [
    "key refused",
    () => ({ status: 401, body: { error: { message: "no secret-key" } } }),
    { name: "AppError", kind: "invalid" },
  ],
  ["unknown model", () => ({ status: 404, body: {} }), { kind: "invalid" }],
  ["too large", () => ({ status: 413, body: {} }), { kind: "invalid" }],
])("names the cause of a failure, without the key: %s", async (_what, answer, expected) => {
  service.answers = [answer];
  const error: unknown = await listen().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(expected);
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain("secret-key");
});

test("reports a problem after a failure not caused by the recording, until a use succeeds", async () => {
  const transcriber = createOpenAiTranscriber({ baseUrl: service.url, model: "m", apiKey: undefined });
  const problems = [await transcriber.problem?.()];
  service.answers = [
    () => ({ status: 500, body: {} }),
    () => ({ status: 413, body: {} }),
    () => ({ body: "<html>" }),
    () => ({ body: { words: 3 } }),
    () => ({ status: 401, body: {} }),
    () => ({ body: { text: "Hello." } }),
  ];
  for (let call = 0; call < 6; call += 1) {
    await transcriber.transcribe(RECORDING, new AbortController().signal).catch(() => undefined);
    problems.push(await transcriber.problem?.());
  }
  const saying = (what: RegExp): unknown => expect.stringMatching(what);
  expect(problems).toEqual([
    null,
    saying(/answered 500/),
    null,
    saying(/not JSON\. Check RECOLLECT_TRANSCRIBE_BASE_URL\.$/),
    saying(/not a transcript/),
    saying(/refused the key/),
    null,
  ]);
});

test("stops when aborted", async () => {
  const transcriber = createOpenAiTranscriber({ baseUrl: service.url, model: "m", apiKey: undefined });
  await expect(transcriber.transcribe(RECORDING, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});
