import * as z from "zod";
import type { SpokenPiece } from "../../core/ports.js";
import { readCues } from "../../lib/read-cues.js";
import { parseLimitedJson } from "../../lib/limited-json.js";

const seconds = z.number().nonnegative();

/** As OpenAI's `whisper` writes it with `--output_format json`. */
const segmentsSchema = z.object({ segments: z.array(z.object({ start: seconds, end: seconds, text: z.string() })) });

/** As whisper.cpp's `whisper-cli` writes it with `--output-json`, in milliseconds. */
const transcriptionSchema = z.object({
  transcription: z.array(z.object({ offsets: z.object({ from: seconds, to: seconds }), text: z.string() })),
});

/**
 * The output of a transcription program: SubRip, WebVTT, JSON of `whisper` or `whisper-cli`, or the lines that both print.
 * @returns null for a text without times
 */
export function readTranscript(written: string): readonly SpokenPiece[] | null {
  const text = written.replace(/^\uFEFF/, "").trim();
  if (text === "") return [];
  const pieces = text.startsWith("{") ? piecesOfJson(text) : piecesOfCues(text);
  return (
    pieces
      ?.map(({ start, end, text: said }) => ({ start, end: Math.max(start, end), text: said.trim() }))
      .filter((piece) => piece.text !== "") ?? null
  );
}

function piecesOfJson(text: string): readonly SpokenPiece[] | null {
  const json = parsed(text);
  const segments = segmentsSchema.safeParse(json).data?.segments;
  if (segments) return segments;
  const found = transcriptionSchema.safeParse(json).data?.transcription;
  return (
    found?.map(({ offsets, text: said }) => ({ start: offsets.from / 1_000, end: offsets.to / 1_000, text: said })) ??
    null
  );
}

function parsed(text: string): unknown {
  try {
    return parseLimitedJson(text);
  } catch {
    return null;
  }
}

const SHOWN = /^\[(\d[\d:.]{4,15} --> \d[\d:.]{4,15})\][ \t]{0,9}(.*)$/;

function piecesOfCues(text: string): readonly SpokenPiece[] | null {
  const lines = text.split(/\r?\n/);
  // Each printed line is a cue of its own.
  const cueLines = lines.flatMap((line) => {
    const [, times, said] = SHOWN.exec(line) ?? [];
    return times === undefined ? [line] : ["", times, said ?? ""];
  });
  const { cues } = readCues(cueLines.join("\n"));
  if (cues.length === 0) return /^WEBVTT\b/.test(text) ? [] : null;
  return cues.map((cue) => ({ ...cue, text: cue.lines.map((line) => line.text).join(" ") }));
}
