import type { Turn } from "../core/types.js";
import { findDate } from "../language/dates.js";
import { canonicalRole } from "../language/speakers.js";
import type { TimeZone } from "../lib/time-zone.js";
import { findJsonConversation } from "./conversation-json.js";
import { findTranscript } from "./conversation-transcript.js";

/** A text that was recognised as a conversation. */
export interface Conversation {
  /** At least one, none of them empty. Roles are written `User`, `Assistant`, `System` and `Tool`; names as they are. */
  readonly turns: readonly Turn[];
  /** ISO date or date-time of the conversation, null when the text gives none. */
  readonly date: string | null;
  /** The text before the first turn that has content of its own: more than "here is the session:" or a date. */
  readonly preamble: string;
  /** The other lines before the first turn. */
  readonly caption: string;
  /** The text after the last turn, in notations where turns have a clear end. */
  readonly afterword: string;
}

const LONGEST_CAPTION = 240;
const MOST_CAPTION_LINES = 12;

/**
 * Recognises a conversation, as a transcript (`Anna: Hello`) or as JSON messages with or without surrounding text, and
 * parses it into turns. Takes linear time, and never throws for odd content.
 * @param zone the time zone of times without an offset
 * @returns null when the text is anything else, including broken JSON
 */
export async function parseConversation(content: string, zone: TimeZone = "UTC"): Promise<Conversation | null> {
  const found = (await findJsonConversation(content, zone)) ?? (await findTranscript(content));
  if (!found) return null;
  const { preamble, caption, date } = await readPreamble(found.before, zone);
  return {
    turns: found.turns,
    date: date ?? found.date ?? found.turns.find((turn) => turn.date !== undefined)?.date ?? null,
    preamble,
    caption,
    afterword: found.after.trim(),
  };
}

/** A conversation that was sent as turns, which needs no recognition. */
export function conversationOf(turns: readonly Turn[]): Conversation {
  const named = turns.map((turn) => ({ ...turn, speaker: canonicalRole(turn.speaker) ?? turn.speaker }));
  return { turns: named, date: null, preamble: "", caption: "", afterword: "" };
}

/** Separates the lines that only introduce or date the conversation from those with content of their own. */
async function readPreamble(
  before: string,
  zone: TimeZone,
): Promise<{ preamble: string; caption: string; date: string | null }> {
  const text = before.trim();
  if (text === "") return { preamble: "", caption: "", date: null };
  const lines = text.split(/\r?\n/, MOST_CAPTION_LINES + 1);
  const captions: string[] = [];
  const rest: string[] = [];
  let date: string | null = null;
  for (const line of lines.slice(0, MOST_CAPTION_LINES)) {
    const dateOfLine = line.length <= LONGEST_CAPTION && looksLikeDateLine(line) ? await findDate(line, zone) : null;
    date ??= dateOfLine;
    const isCaption = line.length <= LONGEST_CAPTION && (dateOfLine !== null || /:\s*$/.test(line));
    (isCaption ? captions : rest).push(line);
  }
  if (lines.length > MOST_CAPTION_LINES) rest.push(text.slice(lengthOfLines(text, MOST_CAPTION_LINES)));
  return { preamble: rest.join("\n").trim(), caption: captions.join("\n").trim(), date };
}

/** A date in the middle of a sentence dates what the sentence is about, not the conversation. */
function looksLikeDateLine(line: string): boolean {
  return (
    line.length <= 60 || /\b(?:date|session|conversation|chat|took place|when|time|recorded|created)\b/i.test(line)
  );
}

function lengthOfLines(text: string, count: number): number {
  let end = 0;
  for (let line = 0; line < count; line += 1) end = text.indexOf("\n", end) + 1;
  return end;
}
