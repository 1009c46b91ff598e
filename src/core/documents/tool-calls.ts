import { truncate } from "../../lib/truncate.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** A call of a tool, as any of the usual clients writes it. */
export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
}

/** A text cut to a useful length. */
export interface ShortenedText {
  readonly text: string;
  /** Length of the original, in UTF-16 units, and how much of it is in the text. */
  readonly length: number;
  readonly kept: number;
}

/** Results may contain whole files and pages; the rest can be retrieved with the tool again. */
const LONGEST_RESULT = 20_000;
const LONGEST_ARGUMENTS = 4_000;
const LONGEST_NAME = 100;
const NAMELESS = "tool";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a call: `{id, function: {name, arguments}}` of OpenAI, `{toolCallId, toolName, args or input}` of the AI SDK, `{id,
 * name, input}` of Anthropic.
 * @returns null for a value with neither tool name nor arguments
 */
export function readCall(sent: unknown): ToolCall | null {
  const call = fieldsOf(sent);
  const target =
    [call["function"], call["custom"], call].map(fieldsOf).find((one) => Object.keys(one).length > 0) ?? {};
  const name = firstText(target["name"], target["toolName"]);
  const args = target["arguments"] ?? target["args"] ?? target["input"];
  if (name === undefined && args === undefined) return null;
  return { id: firstText(call["id"], call["toolCallId"]), name: name ?? NAMELESS, args };
}

/** `weather({"city":"Ghent"})`, on one line. */
export function describeCall({ name, args }: ToolCall): ShortenedText {
  const written = typeof args === "string" ? args : args === undefined ? "" : JSON.stringify(args);
  const { text, ...rest } = cut(withoutBlankLines(written), LONGEST_ARGUMENTS);
  return { text: `${nameOf(name)}(${text})`, ...rest };
}

/** `weather → 12 °C`; empty if there is no result. */
export function describeResult({
  name,
  value,
  isError = false,
}: {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly isError?: boolean | undefined;
}): ShortenedText & { readonly hasImage: boolean } {
  const { said, hasImage } = readValue(value);
  const { text, ...rest } = cut(withoutBlankLines(said), LONGEST_RESULT);
  const head = name === undefined ? (isError ? "failed → " : "") : `${nameOf(name)}${isError ? " failed" : ""} → `;
  return { text: text === "" ? "" : head + text, ...rest, hasImage };
}

interface Said {
  readonly said: string;
  readonly hasImage: boolean;
}

/** The content of a result: a text, parts with texts, or `{type, value}` around either; anything else as JSON. */
function readValue(value: unknown): Said {
  if (value === undefined || value === null) return { said: "", hasImage: false };
  if (typeof value === "string") return { said: value, hasImage: false };
  if (Array.isArray(value) && value.length > 0 && value.every(isPart)) {
    const parts = value.map(readPart);
    return { said: parts.map(({ said }) => said).join("\n"), hasImage: parts.some(({ hasImage }) => hasImage) };
  }
  const { type, value: inner } = fieldsOf(value);
  if (typeof type === "string" && WRAPPED.has(type)) return readValue(inner);
  return { said: JSON.stringify(value), hasImage: false };
}

/** Output types of the AI SDK. */
const WRAPPED: ReadonlySet<string> = new Set(["text", "json", "error-text", "error-json", "content"]);
const IMAGES: ReadonlySet<string> = new Set(["image", "image_url", "media", "image-data", "image-url"]);

function isPart(part: unknown): boolean {
  return typeof fieldsOf(part)["type"] === "string";
}

function readPart(part: unknown): Said {
  const { type, text } = fieldsOf(part);
  if (IMAGES.has(String(type))) return { said: "[image]", hasImage: true };
  return { said: typeof text === "string" ? text : JSON.stringify(part), hasImage: false };
}

function cut(text: string, limit: number): ShortenedText {
  const kept = truncate(text, limit);
  return { text: kept, length: text.length, kept: kept.length };
}

/** Paragraphs separate turns, and no tool may write one that looks like somebody's turn. */
function withoutBlankLines(text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).filter((line) => line.trim() !== "");
  return lines.join("\n").trim();
}

function nameOf(name: string): string {
  return truncate(singleSpaced(name), LONGEST_NAME) || NAMELESS;
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string" && value.trim() !== "") as string | undefined;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
