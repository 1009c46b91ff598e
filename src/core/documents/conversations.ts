import * as z from "zod";
import type { Admitted, CoreContext, Limits } from "../context.js";
import { AppError } from "../errors.js";
import { checkSize, containerTagSchema, customIdSchema, findBadValue, noteSchema, parseInput } from "../input.js";
import { mergeTurns } from "./merge-turns.js";
import { once } from "../operations.js";
import { addDocumentSchema, prepareDocument } from "./prepare-document.js";
import type { Turn } from "../types.js";
import { findAddressed, writeDocument, type DocumentReceipt } from "./write-document.js";

/** How many times the limit of one text a conversation may grow to, message by message. */
const LONGEST_IN_TEXTS = 16;
/** Something for the check of texts where a submission says nothing. */
const NO_TEXT = "-";

/** Text of any length, empty as well. */
const messageText = z.string("must be a string").superRefine((text, context) => {
  const bad = findBadValue(text);
  if (bad) context.addIssue({ code: "custom", message: bad });
});

const imageSchema = z.union(
  [messageText, z.object({ url: messageText }).transform(({ url }) => url)],
  "must be a URL, or an object with one",
);

const partSchema = z
  .object({
    type: z.enum(["text", "image_url"]),
    text: messageText.optional(),
    imageUrl: imageSchema.optional(),
    image_url: imageSchema.optional(),
  })
  .superRefine((part, context) => {
    const complain = (field: string) =>
      context.addIssue({ code: "custom", path: [field], message: `is required in a part of type ${part.type}` });
    if (part.type === "text" && part.text === undefined) complain("text");
    if (part.type === "image_url" && part.imageUrl === undefined && part.image_url === undefined) complain("imageUrl");
  });

const messageSchema = z
  .object({
    role: z.enum(["user", "assistant", "system", "tool"], "must be user, assistant, system or tool"),
    content: z.union([messageText, z.array(partSchema), z.null()], "must be text or an array of parts").optional(),
    name: noteSchema(255).nullish(),
    tool_calls: z.array(z.unknown()).nullish(),
    tool_call_id: z.string().nullish(),
  })
  .superRefine((message, context) => {
    if ((message.content ?? null) === null && !message.tool_calls?.length)
      context.addIssue({ code: "custom", path: ["content"], message: "is required in a message without tool_calls" });
  });
type Message = z.output<typeof messageSchema>;

export const conversationSchema = z.object({
  conversationId: customIdSchema,
  messages: z.array(messageSchema, "must be an array").min(1, "must not be empty"),
  containerTags: z.array(containerTagSchema).max(50).optional(),
  metadata: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean()], "must be a string, a number or a boolean"),
      "must be an object",
    )
    .optional(),
  entityContext: noteSchema(1_500).optional(),
  forgetAfter: addDocumentSchema.shape.forgetAfter,
});

/**
 * Keeps a conversation as the document whose customId is its id. Messages that it has already are not added again, be the
 * whole of it sent or only what is new (contract.md §10).
 * @throws AppError as `writeDocument` does, and `too_large` for one that has grown beyond 16 texts of the largest size
 */
export async function addConversation(
  context: CoreContext,
  call: Admitted,
  raw: unknown,
): Promise<DocumentReceipt & { conversationId: string }> {
  const { conversationId, messages, ...fields } = parseInput(conversationSchema, raw);
  const { actor } = call;
  const turns = messages.flatMap(turnOf);
  const transcript = transcriptOf(turns);
  checkSize("messages", transcript, context.limits);
  const content = transcript === "" ? NO_TEXT : transcript;
  const prepared = prepareDocument(context, actor, { ...fields, content, customId: conversationId });
  const receipt = await once(context, call, "addConversation", async (nouns) => {
    const existing = await findAddressed(nouns, actor, conversationId, prepared.containerTags);
    const merged = mergeTurns(existing?.turns ?? [], turns);
    const whole = transcriptOf(merged);
    checkGrowth(whole, context.limits);
    const input = { ...prepared.input, content: whole };
    return writeDocument(nouns, actor, { ...prepared, input, known: { turns: merged } });
  });
  context.wakeJobs();
  return { ...receipt, conversationId };
}

function checkGrowth(transcript: string, { maxTextBytes }: Limits): void {
  const most = LONGEST_IN_TEXTS * maxTextBytes;
  if (Buffer.byteLength(transcript) > most)
    throw new AppError(
      "too_large",
      `messages: the conversation would have more than ${most} bytes (${LONGEST_IN_TEXTS} times RECOLLECT_MAX_TEXT_BYTES). Start another one.`,
    );
}

/** Readable text of a conversation: a paragraph a turn. What it starts with never changes while turns are added. */
export function transcriptOf(turns: readonly Turn[]): string {
  return turns.map(({ speaker, text }) => `${speaker}: ${text}`).join("\n\n");
}

/** Longest name of a speaker in a transcript. */
const LONGEST_SPEAKER = 255;

/** Where in a transcript what one of these speakers says begins, in order. */
export function turnStarts(transcript: string, speakers: ReadonlySet<string>): number[] {
  const starts: number[] = [];
  for (let from = 0; from !== 1; from = transcript.indexOf("\n\n", from) + 2) {
    const head = transcript.slice(from, from + LONGEST_SPEAKER + 2);
    for (let colon = head.indexOf(": "); colon !== -1; colon = head.indexOf(": ", colon + 1))
      if (speakers.has(head.slice(0, colon))) starts.push(from + colon + 2);
  }
  return starts;
}

/** A message that says nothing, such as a call of a tool, is no turn. */
function turnOf({ role, name, content }: Message): Turn[] {
  const text = typeof content === "string" ? content : (content ?? []).map(textOfPart).join("\n");
  const speaker = (name ?? "").replace(/\s+/gu, " ").trim() || role;
  return text.trim() === "" ? [] : [{ speaker, text: text.trim() }];
}

function textOfPart(part: z.output<typeof partSchema>): string {
  if (part.type === "text") return part.text ?? "";
  const url = part.imageUrl ?? part.image_url ?? "";
  return url.startsWith("data:") ? "[image]" : `[image: ${url}]`;
}
