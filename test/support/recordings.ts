import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FFMPEG = "ffmpeg";
const ESPEAK = "espeak-ng";

/** What recordings in tests are made with. */
export const canRecord = ["ffmpeg -version", "ffprobe -version", "espeak-ng --version"].every((command) => {
  const [program = "", option = ""] = command.split(" ");
  return spawnSync(program, [option], { stdio: "ignore" }).error === undefined;
});

/** For the title of a test that is left out without them. */
export const unlessRecording = canRecord ? "" : " (left out: ffmpeg or espeak-ng is not installed)";

/** Subtitles as ffmpeg puts them into videos. */
export const SUBTITLES = `1
00:00:01,000 --> 00:00:03,000
The ferry Aurora berths at quay seven.

2
00:00:03,500 --> 00:00:05,000
Torvald lights the green lantern.
`;

const SPEECH = "The harbour opens at nine. Torvald lights the green lantern at the end of the pier.";

/** Names of inputs that the options of ffmpeg may have. */
export const INPUTS = { speech: "speech.wav", subtitles: "subtitles.srt" } as const;

/**
 * A recording that ffmpeg makes of speech, subtitles and pictures that it draws itself.
 * @param options of ffmpeg, without the name of the output
 * @param ending that tells ffmpeg the format
 */
export function record(options: readonly string[], ending: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "recollect-recordings-"));
  try {
    execFileSync(ESPEAK, ["-w", join(folder, INPUTS.speech), SPEECH], { stdio: "ignore" });
    writeFileSync(join(folder, INPUTS.subtitles), SUBTITLES);
    const output = `made.${ending}`;
    execFileSync(FFMPEG, ["-nostdin", "-v", "error", ...options, output], { cwd: folder, stdio: "pipe" });
    return Uint8Array.from(readFileSync(join(folder, output)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The sound of a recording as samples of 16 kHz, and how long it is. */
export function listen(recording: Uint8Array): { seconds: number; loudest: number } {
  const { stdout } = spawnSync(FFMPEG, ["-v", "error", "-i", "-", "-ar", "16000", "-ac", "1", "-f", "s16le", "-"], {
    input: recording,
    maxBuffer: 200_000_000,
  });
  let loudest = 0;
  for (let at = 0; at + 1 < stdout.length; at += 2) loudest = Math.max(loudest, Math.abs(stdout.readInt16LE(at)));
  return { seconds: stdout.length / 32_000, loudest };
}
