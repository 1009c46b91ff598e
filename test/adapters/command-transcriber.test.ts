import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCommandTranscriber } from "../../src/adapters/transcribe/command.js";
import { readTranscript } from "../../src/adapters/transcribe/read-transcript.js";
import { openCore } from "../support/open-core.js";
import { canRecord, INPUTS, record, unlessRecording } from "../support/recordings.js";
import { waitFor } from "../support/recollect-process.js";

const SAID = [
  { start: 0, end: 1.5, text: "The harbour opens at nine." },
  { start: 1.7, end: 4.2, text: "Torvald lights the green lantern." },
];
const SRT = `1
00:00:00,000 --> 00:00:01,500
 The harbour opens at nine.

2
00:00:01,700 --> 00:00:04,200
 Torvald lights the green lantern.
`;

describe("the output of a transcription program", () => {
  test.each([
    ["SubRip", SRT],
    ["WebVTT", `WEBVTT\n\n${SRT.replaceAll(/(\d\d),(\d{3})/g, "$1.$2")}`],
    [
      "whisper-cli's standard output",
      "\n[00:00:00.000 --> 00:00:01.500]   The harbour opens at nine.\n[00:00:01.700 --> 00:00:04.200]   Torvald lights the green lantern.\n",
    ],
    [
      "whisper's standard output",
      "Detected language: English\n[00:00.000 --> 00:01.500]  The harbour opens at nine.\n[00:01.700 --> 00:04.200]  Torvald lights the green lantern.\n",
    ],
    ["whisper's JSON", JSON.stringify({ text: "…", segments: SAID, language: "en" })],
    [
      "whisper-cli's JSON",
      JSON.stringify({
        result: { language: "en" },
        transcription: SAID.map(({ start, end, text }) => ({
          timestamps: { from: "…", to: "…" },
          offsets: { from: start * 1_000, to: end * 1_000 },
          text: ` ${text}`,
        })),
      }),
    ],
  ])("is parsed with its times (%s)", (_, written) => {
    expect(readTranscript(written)).toEqual(SAID);
  });

  test.each(["", " \n", "WEBVTT\n\n", '{"segments":[]}'])("may contain no speech (%j)", (written) => {
    expect(readTranscript(written)).toEqual([]);
  });

  test.each(["The harbour opens at nine.", '{"words":[]}', "{", "[".repeat(1_000_000)])(
    "is no transcript without times",
    (written) => {
      expect(readTranscript(written)).toBeNull();
    },
  );
});

/** Has the documented command line of whisper-cli: records its input, and writes the output given by its model file. */
const WHISPER = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const [, , ...options] = process.argv;
const valueOf = (...names) => { const at = options.findIndex((option) => names.includes(option)); return at === -1 ? null : options[at + 1]; };
const file = valueOf("-f", "--file") ?? options.at(-1);
const model = JSON.parse(readFileSync(valueOf("-m", "--model"), "utf8"));
const sound = readFileSync(file);
writeFileSync(model.notes, JSON.stringify({ options, file, riff: sound.toString("latin1", 0, 4), rate: sound.readUInt32LE(24), environment: Object.keys(process.env) }));
if (model.fails) { process.stderr.write("loading\\nerror: failed to load model\\n"); process.exit(3); }
const stem = valueOf("-of", "--output-file") ?? file;
if (options.includes("-osrt") || options.includes("--output-srt")) writeFileSync(stem + ".srt", model.srt);
else process.stdout.write(model.shown ?? "");
if (model.hangs) setInterval(() => undefined, 1_000);
`;

/** Minimal stand-ins for both programs: the sound is its own transcript. */
const SILENT_FFMPEG = `#!${process.execPath}
require("node:fs").writeFileSync("recording.wav", require("node:fs").readFileSync(0));
`;
const PARROT = `#!${process.execPath}
console.log("[00:00.000 --> 00:01.000] " + require("node:fs").readFileSync(process.argv.at(-1), "utf8"));
`;

test.skipIf(process.platform === "win32")(
  "recordings of one caller do not make other callers wait for all of them",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "recollect-whisper-"));
    try {
      for (const [name, script] of Object.entries({ ffmpeg: SILENT_FFMPEG, parrot: PARROT })) {
        await writeFile(join(folder, name), script);
        await chmod(join(folder, name), 0o755);
      }
      const transcriber = createCommandTranscriber({ command: ["parrot"], programFolders: [folder], home: folder });
      const heard: (string | undefined)[] = [];
      const listen = async (said: string, queue: string): Promise<void> => {
        const recording = { bytes: Buffer.from(said), name: "talk.mp3", mimeType: "audio/mpeg", queue };
        const [piece] = await transcriber.transcribe(recording, new AbortController().signal);
        heard.push(piece?.text);
      };
      await Promise.all([listen("a1", "a"), listen("a2", "a"), listen("a3", "a"), listen("b1", "b")]);
      expect(heard).toEqual(["a1", "b1", "a2", "a3"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

describe.skipIf(!canRecord || process.platform === "win32")(`a transcription program${unlessRecording}`, () => {
  let folder: string;
  let program: string;
  const model = () => join(folder, "a model.json");
  const notes = () => join(folder, "notes.json");

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "recollect-whisper-"));
    program = join(folder, "whisper-cli");
    await writeFile(program, WHISPER);
    await chmod(program, 0o755);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const speech = () => record(["-i", INPUTS.speech], "mp3");
  const folders = () => [folder, ...(process.env["PATH"] ?? "").split(delimiter)];

  async function listen(
    does: Readonly<Record<string, unknown>>,
    options: readonly string[],
    limits: { readonly timeLimitMs?: number; readonly maximumBytes?: number; readonly signal?: AbortSignal } = {},
  ) {
    await writeFile(model(), JSON.stringify({ srt: SRT, notes: notes(), ...does }));
    const { signal = new AbortController().signal, ...others } = limits;
    const transcriber = createCommandTranscriber({
      command: ["whisper-cli", "-m", model(), ...options],
      programFolders: folders(),
      home: folder,
      ...others,
    });
    return transcriber.transcribe({ bytes: speech(), name: "-rf; rm *.mp3", mimeType: "audio/mpeg" }, signal);
  }

  const noted = async () => JSON.parse(await readFile(notes(), "utf8"));

  test("receives a 16 kHz WAV under a generated name as its last option, and its output file is read", async () => {
    expect(await listen({}, ["-osrt"])).toEqual(SAID);
    const { options, file, riff, rate, environment } = await noted();
    expect([riff, rate]).toEqual(["RIFF", 16_000]);
    expect(options).toEqual(["-m", model(), "-osrt", file]);
    expect(file).toMatch(/^\/.*\/recollect-spoken-\w+\/recording\.wav$/);
    expect(existsSync(file)).toBe(false);
    expect(environment.filter((name: string) => !["PATH", "HOME", "USERPROFILE", "LANG"].includes(name))).toEqual([]);
  });

  test("receives the file where its options place it, and its standard output is read", async () => {
    const shown = "[00:00:00.000 --> 00:00:01.500]   The harbour opens at nine.\n";
    expect(await listen({ shown }, ["-f", "{file}", "-np"])).toEqual(SAID.slice(0, 1));
    const { options, file } = await noted();
    expect(options).toEqual(["-m", model(), "-f", file, "-np"]);
  });

  test("is quoted when it fails", async () => {
    await expect(listen({ fails: true }, ["-osrt"])).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(/^whisper-cli failed \(code 3\): see RECOLLECT_TRANSCRIBE_COMMAND/),
      quote: " It said: error: failed to load model",
    });
  });

  test.each([
    ["prints text without times", { shown: "The harbour opens." }, [], "wrote no text with times"],
    ["prints too much", { shown: "x".repeat(300_000) }, [], "wrote more than a transcript can contain"],
    ["writes too much", { srt: SRT.repeat(3_000) }, ["-osrt"], "wrote more than a transcript can contain"],
    ["does not end", { hangs: true }, [], "took longer than 2 seconds", 2_000],
  ])("fails with a reason when it %s", async (_, does, options, reason, timeLimitMs = 30_000) => {
    await expect(listen(does, options, { timeLimitMs, maximumBytes: 200_000 })).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining(reason),
    });
  });

  test("ends when the caller no longer waits for it", async () => {
    const waiting = new AbortController();
    const heard = listen({ hangs: true }, ["-osrt"], { signal: waiting.signal });
    void waitFor(() => existsSync(notes()), "the program").then(() => waiting.abort(new Error("stopping")));
    await expect(heard).rejects.toThrow("stopping");
  });

  test("is named when missing, also by doctor, and the recording is read once it is installed", async () => {
    const dataDirectory = join(folder, "data");
    const settings = { RECOLLECT_TRANSCRIBE_COMMAND: `'${join(folder, "none", "whisper-cli")}' -osrt` };
    const file = { bytes: Buffer.from(speech()).toString("base64"), name: "harbour.mp3", document: {} };
    const without = await openCore({ dataDirectory, settings });
    const { id } = await without.core.addFile({ actor: without.actor }, file);
    await without.settle();
    const { document: failed } = await without.core.getDocument({ actor: without.actor }, { id });
    expect(failed).toMatchObject({
      status: "failed",
      errorReason: expect.stringMatching(
        /whisper-cli.* was not found: install it or correct RECOLLECT_TRANSCRIBE_COMMAND/,
      ),
    });
    const { checks } = await without.core.diagnose({ actor: without.actor });
    expect(checks.find(({ name }) => name === "files")?.detail).toContain("The program whisper-cli");
    await without.close();

    await writeFile(model(), JSON.stringify({ srt: SRT, notes: notes() }));
    const command = `${program} -m "${model()}" --output-srt`;
    const opened = await openCore({ dataDirectory, settings: { RECOLLECT_TRANSCRIBE_COMMAND: command } });
    try {
      await opened.core.reprocess({ actor: opened.actor }, { ids: [id] });
      await opened.settle();
      const { document } = await opened.core.getDocument({ actor: opened.actor }, { id });
      expect(document).toMatchObject({ status: "done", content: SAID.map(({ text }) => text).join(" ") });
      const { checks: later } = await opened.core.diagnose({ actor: opened.actor });
      expect(later.find(({ name }) => name === "files")?.detail).toContain("recordings are transcribed by whisper-cli");
    } finally {
      await opened.close();
    }
  });
});
