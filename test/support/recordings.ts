import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FFMPEG = "ffmpeg";
const ESPEAK = "espeak-ng";

const versions = ["ffmpeg -version", "ffprobe -version", "espeak-ng --version"].map((command) => {
  const [program = "", option = ""] = command.split(" ");
  const { error, stdout } = spawnSync(program, [option], { encoding: "utf8" });
  return error ? null : stdout;
});

/** Whether the programs that make recordings for tests are installed. */
export const canRecord = !versions.includes(null);

/** For the title of a test that is skipped without them. */
export const unlessRecording = canRecord ? "" : " (left out: ffmpeg or espeak-ng is not installed)";

/** Subtitles that ffmpeg puts into videos. */
export const SUBTITLES = `1
00:00:01,000 --> 00:00:03,000
The ferry Aurora berths at quay seven.

2
00:00:03,500 --> 00:00:05,000
Torvald lights the green lantern.
`;

const SPEECH = "The harbour opens at nine. Torvald lights the green lantern at the end of the pier.";

/** Names of inputs for ffmpeg options. */
export const INPUTS = { speech: "speech.wav", subtitles: "subtitles.srt" } as const;

/** Recordings made earlier, by everything that they depend on. */
const KEPT = fileURLToPath(new URL("../../node_modules/.cache/recollect-recordings", import.meta.url));

/**
 * A recording that ffmpeg makes from speech, subtitles and generated pictures; kept for the next time.
 * @param options of ffmpeg, without the output name
 * @param ending file extension that tells ffmpeg the format
 */
export function record(options: readonly string[], ending: string): Uint8Array {
  const file = kept([SUBTITLES, options], ending, (folder, output) => {
    copyFileSync(speak(), join(folder, INPUTS.speech));
    writeFileSync(join(folder, INPUTS.subtitles), SUBTITLES);
    execFileSync(FFMPEG, ["-nostdin", "-v", "error", ...options, output], { cwd: folder, stdio: "pipe" });
  });
  return Uint8Array.from(readFileSync(file));
}

/** The file with the speech. */
function speak(): string {
  return kept([], "wav", (folder, output) =>
    execFileSync(ESPEAK, ["-w", output, SPEECH], { cwd: folder, stdio: "ignore" }),
  );
}

/** Makes a file unless it exists: whole or not at all, even with several processes at the same time. */
function kept(inputs: readonly unknown[], ending: string, make: (folder: string, output: string) => unknown): string {
  const hash = createHash("sha256").update(JSON.stringify([versions, SPEECH, ...inputs, ending]));
  const file = join(KEPT, `${hash.digest("hex")}.${ending}`);
  if (existsSync(file)) return file;
  mkdirSync(KEPT, { recursive: true });
  const folder = mkdtempSync(join(KEPT, "making-"));
  try {
    const output = `made.${ending}`;
    make(folder, output);
    renameSync(join(folder, output), file);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return file;
}

/** The sound of a recording as 16 kHz samples, and its duration. */
export function listen(recording: Uint8Array): { seconds: number; loudest: number } {
  const { stdout } = spawnSync(FFMPEG, ["-v", "error", "-i", "-", "-ar", "16000", "-ac", "1", "-f", "s16le", "-"], {
    input: recording,
    maxBuffer: 200_000_000,
  });
  let loudest = 0;
  for (let at = 0; at + 1 < stdout.length; at += 2) loudest = Math.max(loudest, Math.abs(stdout.readInt16LE(at)));
  return { seconds: stdout.length / 32_000, loudest };
}
