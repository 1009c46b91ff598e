import type { ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import { extracted } from "../extracted.js";
import { ExtractionError } from "../extraction-error.js";
import type { ExtractionTools } from "../format-extractor.js";
import { lendFile } from "./media-file.js";
import { type MediaDescription, type MediaStream, probeMedia } from "./probe.js";
import { runFfmpeg } from "./run-ffmpeg.js";
import { LONGEST_SOUND, readSound } from "./sound.js";

/** Seconds that may be missing from a recording before it counts as damaged. */
const TOLERANCE = 5;

/**
 * Reads a recording or a video with this machine's ffmpeg: its subtitles if it has any as text, otherwise its sound as recordings
 * to be transcribed.
 * @throws ExtractionError `missing_program`, `damaged`, `empty` for a file with neither sound nor subtitles
 */
export async function extractMedia(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  return lendFile(file.bytes, async (input) => {
    const description = await probeMedia(input);
    return (
      (await readSubtitles(input, description, tools)) ??
      (await readRecordings(input, description)) ??
      refuseSilent(description)
    );
  });
}

async function readSubtitles(
  input: readonly string[],
  description: MediaDescription,
  tools: ExtractionTools,
): Promise<ExtractedContent | null> {
  for (const stream of description.subtitles) {
    const bytes = await readStream(input, stream, tools.limits.maximumTextBytes);
    const { parts, notes } = await readText(bytes, tools);
    if (parts.some(({ place }) => place.time))
      return {
        ...extracted(typeOf(description), parts, known(description)),
        notes: [subtitlesNote(stream), ...notes],
      };
  }
  return null;
}

async function readStream(input: readonly string[], { index }: MediaStream, most: number): Promise<Buffer> {
  const options = ["-nostdin", "-v", "error", ...input, "-map", `0:${index}`, "-f", "webvtt", "pipe:1"];
  // With timestamps, subtitles are at most a few times as long as their text.
  return (await runFfmpeg("ffmpeg", options, 4 * most)).output;
}

async function readText(bytes: Uint8Array, tools: ExtractionTools): Promise<Pick<ExtractedContent, "parts" | "notes">> {
  if (bytes.length === 0) return { parts: [], notes: [] };
  const subtitles = { bytes, name: null, mimeType: "text/vtt", charset: "utf-8", url: null };
  return tools.extract(subtitles).catch((error: unknown) => {
    // Without subtitles, the sound is used.
    if (error instanceof ExtractionError) return { parts: [], notes: [] };
    throw error;
  });
}

function subtitlesNote({ language }: MediaStream): string {
  return `Its subtitles were read${language === null ? "" : ` (language ${language.slice(0, 20)})`}, not its audio.`;
}

async function readRecordings(
  input: readonly string[],
  description: MediaDescription,
): Promise<ExtractedContent | null> {
  if (description.sound === null) return null;
  const recordings = await readSound(input, description.sound);
  const end = recordings.at(-1)?.end ?? 0;
  return {
    ...extracted(typeOf(description), [], known(description)),
    recordings,
    notes: lackNotes(end, description.duration ?? end),
  };
}

function lackNotes(end: number, duration: number): string[] {
  if (end >= duration - TOLERANCE) return [];
  return [
    end >= LONGEST_SOUND - TOLERANCE
      ? "The recording is longer than twelve hours; the rest was left out. Send it in parts."
      : `The recording is damaged: only the first ${Math.round(end)} of ${Math.round(duration)} seconds could be read.`,
  ];
}

function refuseSilent({ hasPicture }: MediaDescription): never {
  const what = hasPicture ? "The video" : "The file";
  throw new ExtractionError("empty", `${what} has neither audio nor text subtitles.`);
}

function typeOf({ hasPicture }: MediaDescription): "video" | "audio" {
  return hasPicture ? "video" : "audio";
}

function known({ title, author, date, duration }: MediaDescription): Partial<ExtractedContent> {
  return { title, author, date, metadata: duration === null ? {} : { duration } };
}
