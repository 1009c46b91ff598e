import { decodeEntities } from "./html-entities.js";

/** A line of text that is shown or spoken for some time. */
export interface Cue {
  /** Seconds from the start. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly CueLine[];
}

export interface CueLine {
  readonly speaker: string | null;
  readonly text: string;
}

export interface Subtitles {
  readonly title: string | null;
  readonly cues: readonly Cue[];
  /** Notes by its authors. */
  readonly remarks: readonly string[];
}

interface GrowingCue extends Cue {
  readonly lines: CueLine[];
}

/** Reads WebVTT and SubRip. Text between cues belongs to the preceding cue or note. */
export function readCues(text: string): Subtitles {
  const lines = text.split("\n");
  const cues: GrowingCue[] = [];
  const remarks: string[] = [];
  let state: "cue" | "between" | "note" | "skip" = "between";
  let speaker: string | null = null;
  let isNoted = false;
  const title =
    /^WEBVTT[ \t](.*)/
      .exec(lines[0] ?? "")?.[1]
      ?.trim()
      .replace(/^-\s{0,9}/, "") || null;
  if ((lines[0] ?? "").startsWith("WEBVTT")) state = "skip";
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    const times = readTimes(line);
    const current = cues.at(-1);
    if (times !== null) {
      cues.push({ ...times, lines: [] });
      [state, speaker, isNoted] = ["cue", null, false];
    } else if (line === "") state = "between";
    else if (state === "note") remarks.push(line);
    else if (state === "skip") continue;
    else if (state === "between" && /^NOTE\b/.test(line)) {
      [state, isNoted] = ["note", true];
      remarks.push(line.slice(4).trim());
    } else if (state === "between" && /^(?:STYLE|REGION)$/.test(line)) state = "skip";
    else if (state === "cue" || (!isIdentifier(line, lines[index + 1]) && current !== undefined && !isNoted)) {
      const read = readLine(line, speaker);
      speaker = read.speaker;
      if (read.text !== "") current?.lines.push(read);
    } else if (!isIdentifier(line, lines[index + 1])) remarks.push(line);
  }
  return { title, cues, remarks: remarks.filter((remark) => remark !== "") };
}

/** A number or a name directly above the times. */
function isIdentifier(line: string, next: string | undefined): boolean {
  return /^\d{1,9}$/.test(line) || readTimes((next ?? "").trim()) !== null;
}

function readTimes(line: string): { start: number; end: number } | null {
  const found =
    /^((?:\d{1,4}:)?\d{1,3}:\d{1,2}[.,]\d{1,3})\s{0,9}-->\s{0,9}((?:\d{1,4}:)?\d{1,3}:\d{1,2}[.,]\d{1,3})/.exec(line);
  if (!found) return null;
  const [start, end] = [secondsOf(found[1] ?? ""), secondsOf(found[2] ?? "")];
  return { start, end: Math.max(start, end) };
}

function secondsOf(time: string): number {
  return time
    .replace(",", ".")
    .split(":")
    .reduce((sum, part) => Math.round((sum * 60 + Number(part)) * 1_000) / 1_000, 0);
}

const VOICE = /^<v(?:\.[^ \t<>]{1,100})?[ \t]+([^<>]{1,200})>/;
const TAG = /<\/?(?:[bciusv]|ruby|rt|lang|font)(?:[.\s=][^<>]{0,300})?>|<\d[\d:.]{4,15}>|\{\\[^{}]{0,100}\}/gi;
/** Direction marks, and no-break spaces. */
const MARKS = /[\u200e\u200f]/g;
const HARD_SPACES = /\u00a0/g;

function readLine(line: string, before: string | null): CueLine {
  const voice = VOICE.exec(line.slice(0, 400))?.[1]?.trim();
  const text = decodeEntities(line.replace(TAG, "")).replace(MARKS, "").replace(HARD_SPACES, " ").trim();
  return { speaker: voice ?? before, text };
}
