import type { Recording } from "../../core/documents/content-ports.js";
import { ExtractionError } from "../extraction-error.js";
import type { MediaStream } from "./probe.js";
import { runFfmpeg } from "./run-ffmpeg.js";

/** MP3 at 16 kHz and 32 kbit/s is good enough for transcribers and yields frames of constant size: 144 bytes and 36 ms. */
const SAMPLES_A_SECOND = 16_000;
const FRAME_BYTES = 144;
const FRAME_SECONDS = 0.036;
/** About ten minutes, well within the 25 MB limit of some services. */
const STRETCH_FRAMES = 16_667;
/** About five seconds, so that no sentence is cut in both stretches. */
const OVERLAP_FRAMES = 139;
/** Longer recordings are truncated here, in seconds: twelve hours. */
export const LONGEST_SOUND = 43_200;
const LARGEST_SOUND = (LONGEST_SOUND / FRAME_SECONDS + 1_000) * FRAME_BYTES;

/**
 * The sound of a recording in overlapping stretches of ten minutes, small enough to send. If the recording is damaged, returns
 * what comes before the damage.
 * @throws ExtractionError `damaged` when nothing can be heard
 */
export async function readSound(input: readonly string[], { index }: MediaStream): Promise<Recording[]> {
  const { output, complaint } = await runFfmpeg("ffmpeg", commandOf(input, index), LARGEST_SOUND);
  if (/Unknown encoder/.test(complaint))
    throw new ExtractionError(
      "missing_program",
      "The ffmpeg on this machine cannot write MP3. Install one with libmp3lame, such as those of Debian, Homebrew and winget, and retry.",
    );
  if (output.length < FRAME_BYTES)
    throw new ExtractionError("damaged", "The recording is damaged: its audio cannot be read.");
  return stretchesOf(output);
}

/** Preserves the timing of sound that starts late or has gaps. */
const KEEP_TIMES = "aresample=async=1:first_pts=0";

function commandOf(input: readonly string[], index: number): string[] {
  const from = ["-nostdin", "-v", "error", ...input, "-map", `0:${index}`, "-vn", "-sn", "-dn", "-map_metadata", "-1"];
  const sound = ["-af", KEEP_TIMES, "-ac", "1", "-ar", `${SAMPLES_A_SECOND}`, "-t", `${LONGEST_SOUND}`];
  const encoder = ["-c:a", "libmp3lame", "-b:a", "32k", "-reservoir", "0"];
  return [...from, ...sound, ...encoder, "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3", "pipe:1"];
}

function stretchesOf(sound: Buffer): Recording[] {
  const frames = Math.ceil(sound.length / FRAME_BYTES);
  const stretches: Recording[] = [];
  for (let first = 0; first === 0 || first + OVERLAP_FRAMES < frames; first += STRETCH_FRAMES) {
    const end = Math.min(frames, first + STRETCH_FRAMES + OVERLAP_FRAMES);
    stretches.push({
      bytes: Uint8Array.from(sound.subarray(first * FRAME_BYTES, end * FRAME_BYTES)),
      start: secondsOf(first),
      end: secondsOf(end),
      mimeType: "audio/mpeg",
      name: `recording-${stretches.length + 1}.mp3`,
    });
  }
  return stretches;
}

function secondsOf(frames: number): number {
  return Math.round(frames * FRAME_SECONDS * 1_000) / 1_000;
}
