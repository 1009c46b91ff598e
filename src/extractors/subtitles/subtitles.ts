import type { ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import { GatheredParts } from "../gathered-parts.js";
import { decodeBytes } from "../decode-bytes.js";
import type { ExtractionTools } from "../format-extractor.js";
import { plainText } from "../plain-text.js";
import { readCues, type Cue, type CueLine } from "../../lib/read-cues.js";

/**
 * Reads WebVTT and SubRip: cues are joined into paragraphs of about a minute with their times. @throws ExtractionError `empty`
 */
export async function extractSubtitles(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const { title, cues, remarks } = readCues(decodeBytes(file.bytes, [file.charset]).text);
  if (cues.length === 0) return plainText(file, "The file has no cues with times.", tools);
  const gathered = new GatheredParts(tools.limits);
  gathered.add(remarks.join("\n"));
  for (const { start, end, text } of paragraphs(withoutRepetitions(cues)))
    if (!gathered.add(text, { time: [start, end] })) break;
  return gathered.content("text", { title });
}

/** Maximum number of seconds between consecutive cues. */
const GAP = 0.1;

/** Automatic captions roll: a cue repeats the previous line, or what has been said of a line so far. */
function* withoutRepetitions(cues: readonly Cue[]): Generator<Cue> {
  let before = null as Cue | null;
  for (const cue of cues) {
    const follows = before !== null && cue.start <= before.end + GAP;
    const lines = before !== null && follows ? newLines(before.lines, cue.lines) : cue.lines;
    if (lines.length > 0) yield { ...cue, lines };
    // An empty cue may stand between two that repeat each other.
    before = cue.lines.length > 0 || before === null ? cue : { start: cue.start, end: cue.end, lines: before.lines };
  }
}

/** Rolling captions show two or three lines. */
const MOST_ROLLING = 4;

function newLines(before: readonly CueLine[], lines: readonly CueLine[]): readonly CueLine[] {
  for (let count = Math.min(before.length, lines.length, MOST_ROLLING); count > 0; count -= 1)
    if (before.slice(-count).every((line, index) => isSame(line, lines[index]))) return lines.slice(count);
  const last = before.at(-1);
  const [first, ...others] = lines;
  if (!last || !first || !isSameSpeaker(last, first) || !first.text.startsWith(`${last.text} `)) return lines;
  return [{ ...first, text: first.text.slice(last.text.length + 1) }, ...others];
}

function isSame(line: CueLine, other: CueLine | undefined): boolean {
  return other !== undefined && line.text === other.text && isSameSpeaker(line, other);
}

/** Two people may say the same thing. */
function isSameSpeaker(line: CueLine, other: CueLine): boolean {
  return line.speaker === other.speaker;
}

interface Paragraph {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Seconds after which a paragraph ends with the next sentence, and after which it ends in any case. */
const SHORTEST = 45;
const LONGEST = 75;

function* paragraphs(cues: Iterable<Cue>): Generator<Paragraph> {
  let group: Cue[] = [];
  for (const cue of cues) {
    const [first] = group;
    const length = first === undefined ? 0 : cue.start - first.start;
    const isWhole = /[.!?…。！？]["'”»)]?$/.test(group.at(-1)?.lines.at(-1)?.text.slice(-4) ?? "");
    if (length >= LONGEST || (length >= SHORTEST && isWhole)) {
      yield paragraphOf(group);
      group = [];
    }
    group.push(cue);
  }
  if (group.length > 0) yield paragraphOf(group);
}

function paragraphOf(cues: readonly Cue[]): Paragraph {
  const end = cues.reduce((latest, cue) => Math.max(latest, cue.end), 0);
  let speaker: string | null = null;
  let text = "";
  for (const line of cues.flatMap(({ lines }) => lines)) {
    const isNew = line.speaker !== null && line.speaker !== speaker;
    const breaks = isNew || /^[-–—] ?\S/.test(line.text);
    text += `${text === "" ? "" : breaks ? "\n" : " "}${isNew ? `${line.speaker}: ` : ""}${line.text}`;
    speaker = line.speaker;
  }
  return { start: cues[0]?.start ?? 0, end, text };
}
