import type { Turn } from "../core/types.js";
import {
  canonicalRole,
  isPlausibleContact,
  isPlausibleName,
  LONGEST_LABEL,
  readSpeakerLabel,
  readStamp,
  type ChatStamp,
} from "../language/speakers.js";
import { yieldTurn } from "../lib/time.js";
import type { FoundConversation } from "./found-conversation.js";
import { readDays } from "./stamped-days.js";

const ROLE_HEADING = /^(?:#{1,6} |\*\*|__)?(user|human|assistant|system)(?:\*\*|__)?:?\s*$/i;
const END_MARK = /^\[(?:user|human|assistant|system|tool):end\]\s*$/i;
/** These occur only in transcripts, so one turn is enough. */
const PLAIN_MARK = /^\[role: ?(?:user|human|assistant|system|tool)\]\s*$/im;
const CONVERSATIONAL =
  /[?!？！]|\b(?:i|i'm|i've|you|your|we|we're|my|me|us|our|hi|hey|hello|thanks|thank|yes|yeah|yep|no|nope|ok|okay|sure|haha|ich|du|wir|mir|je|tu|nous|yo|nosotros)\b/i;

/** Lines read in one turn of the event loop: a text may consist of nothing but lines. */
const YIELD_EVERY = 5_000;
const LONGEST_PREAMBLE = 2000;
/** With more lines per turn than this, the labels belong to another kind of text. */
const MOST_LINES_PER_NAMED_TURN = 12;
const MOST_LINES_PER_ROLE_TURN = 80;

interface Line {
  /** Where the line starts in the content. */
  readonly start: number;
  readonly label: string | null;
  /** The line without its label. */
  readonly text: string;
  /** The whole line. */
  readonly whole: string;
  /** The day before the label, as written. */
  readonly day: string | null;
  readonly stamp: ChatStamp | null;
}

/**
 * Finds the turns of a transcript: lines that start with a speaker and a colon, and the lines that follow them.
 * @returns null unless there are at least two turns and the labels are plausible speakers
 */
export async function findTranscript(content: string): Promise<FoundConversation | null> {
  const lines = await readLines(content);
  const isMarked = PLAIN_MARK.test(content);
  const speakers = isMarked ? labelsOf(lines.filter(isRole)) : chooseSpeakers(lines);
  if (!speakers) return null;
  const spoken = lines.filter(({ label }) => label !== null && speakers.has(label));
  const isStamped = spoken.some(({ stamp }) => stamp !== null);
  const isTwelveHours = spoken.some(({ stamp }) => stamp?.isTwelveHours === true);
  const days = readDays(
    spoken.flatMap(({ day }) => day ?? []),
    isTwelveHours,
  );
  const turns: Turn[] = [];
  let before = content.length;
  let speaker = "";
  let parts: string[] = [];
  let date: string | null = null;
  const close = (): void => {
    const text = parts.join("\n").trim();
    if (speaker !== "" && text !== "") turns.push({ speaker, text, ...(date === null ? {} : { date }) });
  };
  for (const line of lines) {
    if (line.label === null || !speakers.has(line.label)) {
      if (isStamped && line.stamp !== null && speaker !== "") {
        // A notice from the chat software, which nobody said.
        close();
        speaker = "System";
        parts = [line.whole.slice(line.stamp.length)];
      } else if (!END_MARK.test(line.whole)) parts.push(line.whole);
      continue;
    }
    close();
    if (speaker === "") before = line.start;
    speaker = canonicalRole(line.label) ?? line.label;
    parts = [line.text];
    date = days.get(line.day ?? "") ?? null;
  }
  close();
  if (turns.length < (isMarked ? 1 : 2) || before > Math.max(LONGEST_PREAMBLE, content.length / 2)) return null;
  return { turns, date: null, before: content.slice(0, before), after: "" };
}

/** Labels in fenced code do not count. The text of a line without a label is the whole line. */
async function readLines(content: string): Promise<Line[]> {
  const lines: Line[] = [];
  let inFence = false;
  let start = 0;
  for (const raw of content.split("\n")) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (/^\s{0,3}(?:```|~~~)/.test(line)) inFence = !inFence;
    lines.push({
      start,
      whole: line,
      ...(inFence ? { label: null, text: line, day: null, stamp: null } : readLine(line)),
    });
    start += raw.length + 1;
    if (lines.length % YIELD_EVERY === 0) await yieldTurn();
  }
  await yieldTurn();
  return lines;
}

function readLine(line: string): Omit<Line, "start" | "whole"> {
  const heading = ROLE_HEADING.exec(line.slice(0, LONGEST_LABEL))?.[1];
  if (heading !== undefined && line.length <= LONGEST_LABEL)
    return { label: heading, text: "", day: null, stamp: null };
  const stamp = readStamp(line);
  const found = readSpeakerLabel(line);
  if (!found) return { label: null, text: line, day: null, stamp };
  const { label, length, day = null } = found;
  return { label, text: line.slice(length), day, stamp };
}

/** The labels that are speakers, or null when the text is not a conversation. */
function chooseSpeakers(lines: readonly Line[]): ReadonlySet<string> | null {
  const labelled = lines.filter((line) => line.label !== null);
  if (labelled.length === 0) return null;
  const roles = labelled.filter(isRole);
  const kinds = new Set(roles.map((line) => canonicalRole(line.label ?? "")));
  const full = lines.filter((line) => line.text.trim() !== "").length;
  if (kinds.has("User") && kinds.has("Assistant") && full <= roles.length * MOST_LINES_PER_ROLE_TURN)
    return labelsOf(roles);
  const counts = new Map<string, number>();
  for (const line of labelled) counts.set(line.label ?? "", (counts.get(line.label ?? "") ?? 0) + 1);
  const comesAgain = ({ label }: Line): boolean => (counts.get(label ?? "") ?? 0) > 1;
  const named = labelled.filter((line) =>
    line.stamp === null ? isPlausibleName(line.label ?? "") : isPlausibleContact(line.label ?? "", comesAgain(line)),
  );
  const talking = named.filter((line) => comesAgain(line) || isConversational(line.text));
  const speakers = labelsOf(talking);
  const conversational = talking.filter((line) => isConversational(line.text)).length;
  const isDialogue =
    talking.length >= 2 &&
    (speakers.size >= 2 || (speakers.size === 1 && kinds.has("User"))) &&
    conversational >= Math.max(1, talking.length * (speakers.size === talking.length ? 1 : 0.3)) &&
    full <= talking.length * MOST_LINES_PER_NAMED_TURN;
  return isDialogue ? speakers : null;
}

function isRole(line: Line): boolean {
  return line.label !== null && canonicalRole(line.label) !== null;
}

function labelsOf(lines: readonly Line[]): Set<string> {
  return new Set(lines.flatMap((line) => (line.label === null ? [] : [line.label])));
}

function isConversational(text: string): boolean {
  return CONVERSATIONAL.test(text.slice(0, 400));
}
