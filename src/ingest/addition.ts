import type { Document, Turn } from "../core/types.js";
import { sentenceSpans } from "../language/sentences.js";
import type { TimeZone } from "../lib/time-zone.js";
import { conversationOf, parseConversation } from "./conversation.js";
import {
  editsOfTurns,
  speakersIn,
  TURN_BREAK,
  turnsReplaced,
  type Replaced,
  transcriptLine,
} from "./conversation-edits.js";
import { editsBetween, sentencesOf, type Edit } from "./edits.js";
import { partedBy, type Parted } from "./unchanged.js";

/** What a text says that its predecessor did not. */
export interface Addition {
  /** Empty when there is nothing new. */
  readonly content: string;
  /** Set when it comes from a conversation. */
  readonly turns?: readonly Turn[];
  /** ISO date or date-time of the conversation, null when it names none. */
  readonly date: string | null;
  /** Sentences that replaced others; in a conversation, only if it was sent as one and a turn in it was edited. */
  readonly edits?: readonly Edit[];
  /** Set when it holds already known sentences, as context for the new ones beside them. */
  readonly parted?: Parted;
}

/**
 * What a submission adds to the previous one: the new turns of a conversation, the continuation of a text, or else its
 * new lines. Takes linear time.
 * @param previous the previous text, or empty if there is none
 * @param next its text, and the speakers if it was sent as a conversation; otherwise none
 * @param zone the time zone of times without an offset
 */
export async function findAddition(
  previous: string,
  next: Pick<Document, "content" | "turns"> & { readonly speakers: ReadonlySet<string> },
  zone: TimeZone,
): Promise<Addition> {
  const { content, turns, speakers } = next;
  if (content === previous) return { content: "", date: null };
  const conversation = turns ? conversationOf(turns) : await parseConversation(content, zone);
  if (!conversation && previous === "") return { content, date: null };
  if (!conversation) {
    const edits = editsBetween(previous, content);
    const added = addedText(previous, content);
    const parted = content.startsWith(previous) ? undefined : partedBy(previous, added);
    return { content: added, date: null, ...(edits.length > 0 && { edits }), ...(parted?.unchanged && { parted }) };
  }
  const { date } = conversation;
  if (previous === "") return { content, turns: conversation.turns, date };
  const known = await (turns ? knownTurns(previous, turns, zone) : turnsOf(previous, zone));
  const added = withoutKnown(conversation.turns, known);
  const wasSent = speakers.size > 0;
  const replaced = turnsReplaced(previous, content, wasSent ? speakers : speakersIn(conversation.turns));
  const edits = wasSent ? editsOfTurns(replaced) : [];
  if (added.length > 0) {
    const parted = partedTurns(replaced, added);
    const kept = { ...(edits.length > 0 && { edits }), ...(parted.unchanged && { parted }) };
    return { content: added.map(transcriptLine).join(TURN_BREAK), turns: added, date, ...kept };
  }
  return { content: addedText(previous, `${conversation.preamble}\n${conversation.afterword}`), date };
}

async function turnsOf(text: string, zone: TimeZone): Promise<readonly Turn[]> {
  return (await parseConversation(text, zone))?.turns ?? [];
}

/**
 * The turns already in an earlier transcript of the same conversation: those it starts and ends with verbatim, and,
 * where turns were edited, those parsed from the part in between.
 */
async function knownTurns(transcript: string, turns: readonly Turn[], zone: TimeZone): Promise<readonly Turn[]> {
  const first = turnsAtStart(transcript, turns);
  const last = turnsAtEnd(transcript.slice(first.length), turns.slice(first.count));
  const between = transcript.slice(first.length, transcript.length - last.length);
  const edited = between.trim() === "" ? [] : await turnsOf(between, zone);
  const same = [...turns.slice(0, first.count), ...turns.slice(turns.length - last.count)];
  return [...conversationOf(same).turns, ...edited];
}

interface Stretch {
  readonly count: number;
  /** Length in the transcript, including the blank lines around the turns. */
  readonly length: number;
}

function turnsAtStart(transcript: string, turns: readonly Turn[]): Stretch {
  let [count, length] = [0, 0];
  for (const turn of turns) {
    const text = transcriptLine(turn);
    const end = length + text.length;
    if (!transcript.startsWith(text, length)) break;
    if (end < transcript.length && !transcript.startsWith(TURN_BREAK, end)) break;
    count += 1;
    length = Math.min(transcript.length, end + TURN_BREAK.length);
  }
  return { count, length };
}

function turnsAtEnd(transcript: string, turns: readonly Turn[]): Stretch {
  let [count, end] = [0, transcript.length];
  for (const turn of turns.toReversed()) {
    const text = transcriptLine(turn);
    const start = end - text.length;
    if (start < 0 || !transcript.endsWith(text, end)) break;
    if (start > 0 && !transcript.endsWith(TURN_BREAK, start)) break;
    count += 1;
    end = Math.max(0, start - TURN_BREAK.length);
  }
  return { count, length: transcript.length - end };
}

/** A turn that was said twice counts twice. */
function withoutKnown(turns: readonly Turn[], known: readonly Turn[]): readonly Turn[] {
  const counts = new Map<string, number>();
  for (const turn of known) counts.set(transcriptLine(turn), (counts.get(transcriptLine(turn)) ?? 0) + 1);
  return turns.filter((turn) => {
    const left = counts.get(transcriptLine(turn)) ?? 0;
    if (left > 0) counts.set(transcriptLine(turn), left - 1);
    return left === 0;
  });
}

/** A turn that repeats what an earlier turn said is new as well. */
function partedTurns(replaced: readonly Replaced[], added: readonly Turn[]): Parted {
  const edited = new Set(replaced.map(([, is]) => is.text));
  const parts = [
    ...replaced.map(([was, is]) => partedBy(was.text, is.text)),
    ...added.filter(({ text }) => !edited.has(text)).map(({ text }) => partedBy("", text)),
  ];
  return {
    unchanged: parts.flatMap(({ unchanged }) => unchanged || []).join("\n"),
    fresh: parts.flatMap(({ fresh }) => fresh || []).join("\n"),
  };
}

/** What was appended, or else the lines that contain new sentences. */
function addedText(previous: string, next: string): string {
  if (next.startsWith(previous)) return next.slice(startOfSentence(next, previous.length)).trim();
  const known = sentencesOf(previous);
  const isNew = (line: string) => [...sentencesOf(line)].some((sentence) => !known.has(sentence));
  const added = next.split("\n").filter((line) => line.trim() === "" || isNew(line));
  return added.join("\n").trim();
}

/** The start of the sentence at this position, so that an addition to a sentence is read together with all of it. */
function startOfSentence(text: string, place: number): number {
  const lineStart = text.lastIndexOf("\n", place - 1) + 1;
  const newline = text.indexOf("\n", place);
  const line = text.slice(lineStart, newline === -1 ? text.length : newline);
  const sentence = sentenceSpans(line).find((span) => lineStart + span.end > place);
  return sentence ? Math.min(place, lineStart + sentence.start) : place;
}
