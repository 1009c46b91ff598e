import * as z from "zod";
import type { Issue } from "../errors.js";
import { findBadValue, invalid, noteSchema } from "../input.js";
import type { Turn } from "../types.js";
import type { MessagePicture } from "./message-picture-ports.js";
import { pictureAt, pictureOf, type ShownPicture } from "./message-pictures.js";
import { type ShortenedText, describeCall, describeResult, readCall } from "./tool-calls.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Text of any length, including empty. */
const messageText = z.string("must be a string").superRefine((text, context) => {
  const bad = findBadValue(text);
  if (bad) context.addIssue({ code: "custom", message: bad });
});

const imageSchema = z.union(
  [messageText, z.object({ url: messageText }).transform(({ url }) => url)],
  "must be a URL, or an object with one",
);

/** Contract 2.11, and the tool and image parts as the AI SDK (with a hyphen) and Anthropic (with `_`) write them. */
const partSchema = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text"), text: messageText }),
    z
      .object({
        type: z.literal("image_url"),
        imageUrl: imageSchema.optional(),
        image_url: imageSchema.optional(),
      })
      .superRefine(({ imageUrl, image_url: other }, context) => {
        if (imageUrl !== undefined || other !== undefined) return;
        context.addIssue({ code: "custom", path: ["imageUrl"], message: "is required in a part of type image_url" });
      }),
    z.object({
      type: z.literal("image"),
      image: z.unknown().optional(),
      source: z.unknown().optional(),
      mediaType: z.string().optional(),
      mimeType: z.string().optional(),
    }),
    z.object({
      type: z.literal("tool-call"),
      toolCallId: z.string(),
      toolName: z.string(),
      args: z.unknown().optional(),
      input: z.unknown().optional(),
    }),
    z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown().optional() }),
    z.object({
      type: z.literal("tool-result"),
      toolCallId: z.string(),
      toolName: z.string().optional(),
      result: z.unknown().optional(),
      output: z.unknown().optional(),
      isError: z.boolean().optional(),
    }),
    z.object({
      type: z.literal("tool_result"),
      tool_use_id: z.string(),
      content: z.unknown().optional(),
      is_error: z.boolean().optional(),
    }),
  ],
  "must be text, image_url, image, tool-call, tool-result, tool_use or tool_result",
);
type Part = z.output<typeof partSchema>;

/** One message of a conversation, as clients send it. */
export const messageSchema = z
  .object({
    role: z.enum(["user", "assistant", "system", "tool"], "must be user, assistant, system or tool"),
    content: z.union([messageText, z.array(partSchema), z.null()], "must be a string or an array of parts").optional(),
    name: noteSchema(255).nullish(),
    tool_calls: z.array(z.unknown()).nullish(),
    tool_call_id: z.string().nullish(),
  })
  .superRefine((message, context) => {
    if ((message.content ?? null) === null && !message.tool_calls?.length)
      context.addIssue({ code: "custom", path: ["content"], message: "is required in a message without tool_calls" });
  });
type Message = z.output<typeof messageSchema>;

/** The part of messages that is stored. */
export interface ReadMessages {
  readonly turns: readonly Turn[];
  /** The pictures in them, without duplicates. */
  readonly pictures: readonly MessagePicture[];
  /** What of them is not stored, or not as it was sent. */
  readonly warnings: readonly string[];
}

/** The speaker of tool calls and results: they are nobody's statements. */
const TOOL = "tool";
const MOST_WARNINGS = 20;

/**
 * Converts messages to turns: one for what is said, one for each tool call and one for each result. Results and arguments are
 * stored up to a length; an empty message gives no turn.
 * @throws AppError `invalid` for calls and results with characters that no text may contain
 */
export function readMessages(messages: readonly Message[]): ReadMessages {
  const reader = new MessageReader();
  for (const [index, message] of messages.entries()) reader.read(message, ["messages", index]);
  if (reader.issues.length > 0) throw invalid(reader.issues);
  return { turns: reader.turns, pictures: [...reader.pictures.values()], warnings: bounded(reader.warnings) };
}

type Path = readonly (string | number)[];

class MessageReader {
  readonly turns: Turn[] = [];
  readonly warnings: string[] = [];
  readonly issues: Issue[] = [];
  readonly pictures = new Map<string, MessagePicture>();
  /** Tool names by call id: results refer to tools only by it. */
  readonly #called = new Map<string, string>();

  read({ role, name, content, tool_calls: calls, tool_call_id: callId }: Message, path: Path): void {
    const speaker = singleSpaced(name ?? "") || role;
    const say = (text: string, pictures: readonly string[] = []): void => {
      const from = this.turns.length;
      if (role === TOOL) this.#answer({ callId, name, value: text }, [...path, "content"]);
      else if (text.trim() !== "") this.turns.push({ speaker, text: text.trim() });
      const said = this.turns[from];
      if (said && pictures.length > 0) this.turns[from] = { ...said, pictures };
    };
    if (typeof content === "string") say(content);
    else this.#readParts(content ?? [], [...path, "content"], say);
    for (const [index, call] of (calls ?? []).entries()) this.#call(call, [...path, "tool_calls", index]);
  }

  #readParts(parts: readonly Part[], path: Path, say: (text: string, pictures: readonly string[]) => void): void {
    let said: string[] = [];
    let shown: string[] = [];
    const flush = (): void => {
      if (said.length > 0) say(said.join("\n"), [...new Set(shown)]);
      said = [];
      shown = [];
    };
    for (const [index, part] of parts.entries()) {
      const at = [...path, index];
      const text = this.#saidBy(part, at, shown);
      if (text !== null) said.push(text);
      else {
        flush();
        this.#readTool(part, at);
      }
    }
    flush();
  }

  /**
   * Null for a part that is not the speaker's words.
   * @param shown receives the digest of a picture that can be read
   */
  #saidBy(part: Part, path: Path, shown: string[]): string | null {
    if (part.type === "text") return part.text;
    if (part.type !== "image_url" && part.type !== "image") return null;
    const found = part.type === "image_url" ? pictureAt(part.imageUrl ?? part.image_url ?? "") : pictureIn(part);
    if ("problem" in found) this.#warn(path, found.problem);
    else {
      this.pictures.set(found.picture.digest, found.picture);
      shown.push(found.picture.digest);
    }
    const url = part.type === "image_url" ? (part.imageUrl ?? part.image_url ?? "") : addressIn(found);
    return url === "" || /^data:/i.test(url) ? "[image]" : `[image: ${url}]`;
  }

  #readTool(part: Part, path: Path): void {
    if (part.type === "tool-call" || part.type === "tool_use") this.#call(part, path);
    if (part.type === "tool_result")
      this.#answer({ callId: part.tool_use_id, value: part.content, isError: part.is_error }, path);
    if (part.type === "tool-result")
      this.#answer(
        { callId: part.toolCallId, name: part.toolName, value: part.output ?? part.result, isError: part.isError },
        path,
      );
  }

  #call(sent: unknown, path: Path): void {
    const call = readCall(sent);
    if (call === null) return this.#warn(path, "has no tool name and no arguments, and was not kept");
    if (call.id !== undefined) this.#called.set(call.id, call.name);
    this.#keep(describeCall(call), path);
  }

  #answer({ callId, name, value, isError }: Answer, path: Path): void {
    const called = this.#called.get(callId ?? "") ?? name ?? undefined;
    const result = describeResult({ name: called, value, isError });
    if (result.hasImage) this.#warn(path, NO_IMAGE);
    if (result.text !== "") this.#keep(result, path);
  }

  #keep({ text, length, kept }: ShortenedText, path: Path): void {
    const bad = findBadValue(text);
    if (bad) this.issues.push({ path, message: bad });
    if (length > kept) this.#warn(path, `has ${length} characters, of which the first ${kept} are kept`);
    this.turns.push({ speaker: TOOL, text });
  }

  #warn(path: Path, what: string): void {
    this.warnings.push(`${path.join(".")}: ${what}`);
  }
}

const NO_IMAGE = "images in tool results are not kept or read; the text beside them was kept";
const UNKNOWN_IMAGE = "the image is neither a URL nor base64, and was not kept";

const imageSource = z.object({
  type: z.string().optional(),
  url: messageText.optional(),
  data: z.string().optional(),
  media_type: z.string().optional(),
});

/** A picture in the format of the AI SDK (`image`: a URL or base64) or Anthropic (`source`). */
function pictureIn({ image, source, mediaType, mimeType }: Extract<Part, { type: "image" }>): ShownPicture {
  if (typeof image === "string")
    return /^[a-z][a-z0-9+.-]{0,30}:/i.test(image)
      ? pictureAt(image)
      : pictureOf(image, mediaType ?? mimeType ?? "image/*");
  const { url, data, media_type: type = "" } = imageSource.safeParse(source).data ?? {};
  if (url !== undefined) return pictureAt(url);
  return data === undefined ? { problem: UNKNOWN_IMAGE } : pictureOf(data, type);
}

function addressIn(shown: ShownPicture): string {
  return "picture" in shown ? (shown.picture.address ?? "") : "";
}

interface Answer {
  readonly callId?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly value: unknown;
  readonly isError?: boolean | undefined;
}

function bounded(warnings: readonly string[]): string[] {
  const more = warnings.length - MOST_WARNINGS;
  return more > 0 ? [...warnings.slice(0, MOST_WARNINGS), `and ${more} more like these`] : [...warnings];
}
