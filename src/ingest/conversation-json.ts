import type { Turn } from "../core/types.js";
import { readTimestamp } from "../language/dates.js";
import type { TimeZone } from "../lib/time-zone.js";
import { canonicalRole } from "../language/speakers.js";
import type { FoundConversation } from "./found-conversation.js";

type Fields = Readonly<Record<string, unknown>>;

/** Where JSON worth parsing starts: an array of objects or an object, possibly inside a JSON string. */
const START = /(?:"(?:\\+")?)?\s{0,8}(?:\[\s{0,64}\{|\{)\s{0,64}\\*"/g;
/** More attempts would let a hostile text make parsing quadratic. */
const MOST_ATTEMPTS = 8;
const MOST_STRING_LAYERS = 3;

const LIST_KEYS = ["messages", "turns", "conversation", "dialogue", "dialog", "chat", "history"] as const;
const SPEAKER_KEYS = ["speaker", "role", "author", "sender", "from"] as const;
const TEXT_KEYS = ["content", "text", "message", "value"] as const;
const DATE_KEYS = ["date", "timestamp", "created_at", "createdAt", "datetime", "time", "ts"] as const;
const CAPTION_KEYS = ["blip_caption", "image_caption", "caption"] as const;

/**
 * Finds JSON messages in a text, alone or inside other text, plain or stringified once more. Takes linear time.
 * @returns null when there are none, or the JSON is broken
 */
export async function findJsonConversation(content: string, zone: TimeZone): Promise<FoundConversation | null> {
  for (const span of jsonSpans(content)) {
    const value = parseLayers(content.slice(span.start, span.end));
    const found = value === undefined ? null : await readConversation(value, zone);
    if (!found) continue;
    const before = [content.slice(0, span.start).trim(), found.caption].filter((part) => part !== "").join("\n");
    return { turns: found.turns, date: found.date, before, after: content.slice(span.end) };
  }
  return null;
}

/** Spans with balanced brackets, from left to right and never nested. */
function* jsonSpans(content: string): Generator<{ start: number; end: number }> {
  START.lastIndex = 0;
  let from = 0;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    START.lastIndex = from;
    const match = START.exec(content);
    if (!match) return;
    const end = match[0].startsWith('"') ? endOfString(content, match.index) : endOfNesting(content, match.index);
    if (end !== -1) yield { start: match.index, end };
    from = end === -1 ? match.index + match[0].length : end;
  }
}

/** Index after the bracket that closes the first one at or after `start`, or -1. */
function endOfNesting(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      index = endOfString(text, index) - 1;
      if (index < 0) return -1;
    } else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

/** Index after the closing quote of the string that starts at `start`, or -1. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index += 1;
    else if (code === 0x22) return index + 1;
  }
  return -1;
}

/** Parses JSON, and JSON within JSON strings; undefined when a layer is broken. */
function parseLayers(text: string): unknown {
  let value: unknown = text;
  for (let layer = 0; layer < MOST_STRING_LAYERS && typeof value === "string"; layer += 1) {
    try {
      value = JSON.parse(value);
    } catch {
      // Not JSON after all: the caller treats it as plain text.
      return undefined;
    }
  }
  return value;
}

interface ReadConversation {
  readonly turns: Turn[];
  readonly date: string | null;
  /** The scalar fields beside the list of messages, one per line. */
  readonly caption: string;
}

async function readConversation(value: unknown, zone: TimeZone): Promise<ReadConversation | null> {
  if (Array.isArray(value)) {
    const turns = await readMessages(value, { named: false, zone });
    return turns && { turns, date: null, caption: "" };
  }
  if (!isFields(value)) return null;
  const key = LIST_KEYS.find((candidate) => Array.isArray(value[candidate]));
  const list = key === undefined ? undefined : value[key];
  if (!Array.isArray(list)) return null;
  const others = Object.entries(value).filter(([name]) => name !== key);
  // A field that does not fit on a line would be lost, so the text is left as it is.
  if (others.some(([, field]) => typeof field === "object" && field !== null)) return null;
  const turns = await readMessages(list, { named: true, zone });
  const caption = others.map(([name, field]) => `${name}: ${String(field)}`).join("\n");
  return turns && { turns, date: await firstDate(value, zone), caption };
}

/** @returns null unless every element is a message and at least one says something */
async function readMessages(
  list: readonly unknown[],
  { named, zone }: { readonly named: boolean; readonly zone: TimeZone },
): Promise<Turn[] | null> {
  const turns: Turn[] = [];
  let surelyMessages = named;
  for (const element of list) {
    if (!isFields(element)) return null;
    const speaker = speakerOf(element);
    const text = textOf(element);
    if (speaker === null || text === null) return null;
    surelyMessages ||= typeof element["role"] === "string" || typeof element["speaker"] === "string";
    if (text === "") continue;
    const date = await firstDate(element, zone);
    turns.push({ speaker, text, ...(date === null ? {} : { date }) });
  }
  // A list of products has names and texts too, but speakers recur.
  const speakers = new Set(turns.map((turn) => turn.speaker)).size;
  if (!surelyMessages && (turns.length < 2 || (turns.length > 2 && speakers === turns.length))) return null;
  return turns.length === 0 ? null : turns;
}

/** A name says more than a role; an element with neither is not a message. */
function speakerOf(message: Fields): string | null {
  const name = firstText(message, ["name"]);
  for (const key of SPEAKER_KEYS) {
    const value = message[key];
    const label = isFields(value)
      ? firstText(value, ["name", "role"])
      : typeof value === "string"
        ? value.trim()
        : null;
    if (label === null || label === "") continue;
    return key === "role" && name !== null ? name : (canonicalRole(label) ?? label);
  }
  return name === null ? null : (canonicalRole(name) ?? name);
}

function textOf(message: Fields): string | null {
  const key = TEXT_KEYS.find((candidate) => candidate in message);
  const text = key === undefined ? null : contentText(message[key]);
  if (text === null) return null;
  const caption = firstText(message, CAPTION_KEYS);
  return [text.trim(), caption === null ? "" : `[image: ${caption}]`, toolCalls(message)]
    .filter((part) => part !== "")
    .join(" ");
}

/** Content as text; parts that are not text are replaced with their type in brackets. Null for an unknown shape. */
function contentText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (content === null) return "";
  if (!Array.isArray(content)) return null;
  const parts: string[] = [];
  for (const part of content as readonly unknown[]) {
    if (typeof part === "string") parts.push(part);
    else if (isFields(part)) parts.push(firstText(part, ["text"]) ?? `[${firstText(part, ["type"]) ?? "attachment"}]`);
    else return null;
  }
  return parts.join("\n");
}

function toolCalls(message: Fields): string {
  const calls = message["tool_calls"];
  if (!Array.isArray(calls)) return "";
  const names = (calls as readonly unknown[]).map((call) => {
    const target = isFields(call) && isFields(call["function"]) ? call["function"] : {};
    return `[${firstText(target, ["name"]) ?? "tool"}(${firstText(target, ["arguments"]) ?? ""})]`;
  });
  return names.join(" ");
}

async function firstDate(fields: Fields, zone: TimeZone): Promise<string | null> {
  for (const key of DATE_KEYS) {
    const date = await readTimestamp(fields[key], zone);
    if (date !== null) return date;
  }
  return null;
}

function firstText(fields: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
