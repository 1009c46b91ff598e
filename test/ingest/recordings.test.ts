import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOpenAiTranscriber } from "../../src/adapters/transcribe/openai.js";
import { createRememberingTranscriber } from "../../src/adapters/transcribe/remembered.js";
import type { ContentExtractor } from "../../src/core/documents/content-ports.js";
import { extracted } from "../../src/extractors/extracted.js";
import { presentDocument } from "../../src/transports/rest/documents/present-document.js";
import { iso } from "../../src/lib/time.js";
import { captureLog } from "../support/captured-log.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { canRecord, INPUTS, record, unlessRecording } from "../support/recordings.js";
import { type ScriptedTranscriber, startScriptedTranscriber } from "../support/scripted-transcriber.js";

const SPEECH = ["-i", INPUTS.speech];
const PICTURE = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=6"];
const SPOKEN = {
  text: "The harbour opens at nine. Torvald lights the green lantern.",
  segments: [
    { start: 0, end: 1.5, text: " The harbour opens at nine." },
    { start: 1.7, end: 4.2, text: " Torvald lights the green lantern." },
  ],
};

let transcriber: ScriptedTranscriber;
let dataDirectory: string;
let opened: OpenedCore;

async function open(settings: Record<string, string> = {}): Promise<void> {
  opened = await openCore({ dataDirectory, settings });
}

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), "recollect-heard-"));
  transcriber = await startScriptedTranscriber();
  transcriber.answers = [() => ({ body: SPOKEN })];
});
afterEach(async () => {
  await transcriber.close();
  rmSync(dataDirectory, { recursive: true });
});

const call = () => ({ actor: opened.actor });
const get = async (id: string) => (await opened.core.getDocument(call(), { id })).document;
const search = async () =>
  (await opened.core.search(call(), { q: "Who lights the green lantern?", containerTags: ["port"] })).results;

async function upload(bytes: Uint8Array, name: string): Promise<string> {
  const file = { bytes: Buffer.from(bytes).toString("base64"), name, document: { containerTags: ["port"] } };
  const { id } = await opened.core.addFile(call(), file);
  return id;
}

describe.skipIf(!canRecord)(`uploaded recordings${unlessRecording}`, () => {
  afterEach(() => opened.close());

  test("fail without a transcriber, and are transcribed once there is one", async () => {
    await open();
    const id = await upload(record(SPEECH, "mp3"), "harbour.mp3");
    await opened.settle();
    expect(await get(id)).toMatchObject({
      status: "failed",
      errorReason: expect.stringContaining("RECOLLECT_TRANSCRIBE_BASE_URL"),
    });
    await opened.close();
    await open({ RECOLLECT_TRANSCRIBE_BASE_URL: transcriber.url, RECOLLECT_TRANSCRIBE_API_KEY: "key-of-the-service" });
    await opened.core.reprocess(call(), { ids: [id] });
    await opened.settle();
    expect(await get(id)).toMatchObject({ status: "done", type: "audio", errorReason: null, content: SPOKEN.text });
    expect(transcriber.recordings).toMatchObject([
      { model: "whisper-1", name: "recording-1.mp3", authorization: "Bearer key-of-the-service" },
    ]);
    const found = (await search()).find(({ chunk }) => chunk?.content.includes("Torvald"));
    expect(found?.chunk?.metadata).toMatchObject({ time: [0, 4.2] });
  });

  test("with subtitles need no transcriber", async () => {
    await open();
    const maps = ["-i", INPUTS.subtitles, "-map", "0", "-map", "1", "-map", "2", "-c:s", "mov_text"];
    const id = await upload(record([...SPEECH, ...PICTURE, ...maps], "mp4"), "harbour.mp4");
    await opened.settle();
    expect(await get(id)).toMatchObject({ status: "done", type: "video" });
    const found = (await search()).find(({ chunk }) => chunk?.content.includes("Torvald"));
    expect(found?.chunk?.metadata).toMatchObject({ time: [1, 5] });
  });

  test("fail with the message of a service that refuses them", async () => {
    await open({ RECOLLECT_TRANSCRIBE_BASE_URL: transcriber.url });
    transcriber.answers = [() => ({ status: 401, body: { error: { message: "no such key" } } })];
    const id = await upload(record(SPEECH, "ogg"), "harbour.ogg");
    await opened.settle();
    expect(await get(id)).toMatchObject({
      status: "failed",
      errorReason: expect.stringMatching(/refused the key\. Check RECOLLECT_TRANSCRIBE_API_KEY/),
    });
  });

  test("report when nothing is said in them", async () => {
    await open({ RECOLLECT_TRANSCRIBE_BASE_URL: transcriber.url });
    transcriber.answers = [() => ({ body: { text: "", segments: [] } })];
    const id = await upload(record([...SPEECH, ...PICTURE], "mp4"), "harbour.mp4");
    await opened.settle();
    expect(await get(id)).toMatchObject({
      status: "failed",
      errorReason: expect.stringContaining("The recording contains no speech."),
    });
  });
});

describe("an unavailable transcriber", () => {
  const stretch = (start: number) => ({
    bytes: new Uint8Array([start % 251]),
    start,
    end: start + 605,
    mimeType: "audio/mpeg",
    name: "a.mp3",
  });
  const extractor: ContentExtractor = {
    endings: ["mp3"],
    programs: () => Promise.resolve([]),
    accepts: () => Promise.resolve(true),
    close: () => Promise.resolve(),
    extract: async () => ({ ...extracted("audio", []), recordings: [stretch(0), stretch(600)] }),
  };

  test("is asked later for the missing parts, and nothing is transcribed twice", async () => {
    const service = createOpenAiTranscriber({ baseUrl: transcriber.url, model: "whisper-1", apiKey: undefined });
    const manual = await openManualCore({ extractor, transcriber: createRememberingTranscriber(service) });
    const at = (start: number, text: string) => ({ start, end: start + 3, text });
    transcriber.answers = [
      () => ({ body: { text: "", segments: [at(0, "The harbour opens."), at(601, "Torvald lights the lantern.")] } }),
      () => ({ status: 503, body: {} }),
      () => ({ body: { text: "", segments: [at(1, "Torvald lights the lantern."), at(9, "The pier is empty.")] } }),
    ];
    try {
      const bytes = Buffer.from("ID3").toString("base64");
      const { id } = await manual.core.addFile(manual.call(), { bytes, name: "a.mp3", document: {} });
      await manual.settle();
      const { document: waiting } = await manual.core.getDocument(manual.call(), { id });
      expect(waiting).toMatchObject({ status: "extracting", content: "" });
      manual.clock.advance(120_000);
      await manual.settle();
      const { document } = await manual.core.getDocument(manual.call(), { id });
      expect(document).toMatchObject({
        status: "done",
        content: "The harbour opens.\n\nTorvald lights the lantern.\n\nThe pier is empty.",
      });
      expect(transcriber.recordings.map((recording) => recording.bytes[0])).toEqual([0, 600 % 251, 600 % 251]);
    } finally {
      await manual.close();
    }
  });

  describe("is reported", () => {
    let log: ReturnType<typeof captureLog>;
    let manual: ManualCore;
    let id: string;
    beforeEach(async () => {
      log = captureLog();
      const service = createOpenAiTranscriber({ baseUrl: transcriber.url, model: "whisper-1", apiKey: undefined });
      manual = await openManualCore({
        extractor,
        transcriber: createRememberingTranscriber(service),
        log,
      });
      const spoken = { start: 1, end: 4, text: "Torvald lights the lantern." };
      transcriber.answers = [() => ({ status: 500, body: {} }), () => ({ body: { text: "", segments: [spoken] } })];
      const bytes = Buffer.from("ID3").toString("base64");
      ({ id } = await manual.core.addFile(manual.call(), { bytes, name: "a.mp3", document: {} }));
      await manual.settle();
    });
    afterEach(() => manual.close());

    const REASON = "The transcriber answered 500.";
    const shown = async () => presentDocument(await manual.core.getDocument(manual.call(), { id }), "http://localhost");
    const files = async () => (await manual.core.diagnose(manual.call())).checks.find(({ name }) => name === "files");

    test("on the document, until it is available again", async () => {
      const { status, processingMetadata } = await shown();
      expect(status).toBe("extracting");
      expect(processingMetadata).toMatchObject({
        steps: [
          {
            name: "read",
            status: "pending",
            error: REASON,
            metadata: { nextAttemptAt: iso(manual.clock.from(30_000)) },
          },
        ],
      });
      manual.clock.advance(30_000);
      await manual.settle();
      const { processingMetadata: after } = await shown();
      expect(after).toMatchObject({
        finalStatus: "done",
        steps: [{ name: "read", status: "completed", metadata: {} }],
      });
      expect(JSON.stringify(after)).not.toContain("answered 500");
    });

    test("in the log", () => {
      const lines = log.lines.filter(({ event }) => event === "a job was postponed");
      expect(lines).toMatchObject([{ level: "warn", kind: "read", reason: REASON, waitMs: 30_000 }]);
    });

    test("by the doctor, until it answers", async () => {
      expect(await files()).toMatchObject({
        ok: false,
        detail: expect.stringContaining("answered 500"),
        fix: expect.stringContaining("RECOLLECT_TRANSCRIBE_BASE_URL"),
      });
      manual.clock.advance(30_000);
      await manual.settle();
      expect(await files()).toMatchObject({ ok: true, detail: expect.stringContaining("transcribed by whisper-1") });
    });

    test("and it is asked immediately when a person reprocesses the document", async () => {
      const named = { ids: [id] };
      const plan = await manual.core.reprocess(manual.call(), { ...named, dryRun: true });
      await manual.settle();
      expect((await shown()).status).toBe("extracting");
      const answer = await manual.core.reprocess(manual.call(), named);
      expect(answer).toEqual({ ...plan, dryRun: false });
      expect(answer).toMatchObject({ documents: 1, retried: 1, skipped: [] });
      await manual.settle();
      expect(await shown()).toMatchObject({ status: "done", content: expect.stringContaining("Torvald") });
    });
  });
});
