import * as z from "zod";
import type { AuthorizedCall, CoreContext, Limits } from "../context.js";
import { endUserOfAddition } from "../access/end-user.js";
import { AppError } from "../errors.js";
import {
  checkSize,
  containerTagSchema,
  MOST_CONTAINERS_OF_DOCUMENT,
  customIdSchema,
  noteSchema,
  parseInput,
} from "../input.js";
import { messageSchema, readMessages } from "./conversation-messages.js";
import { mergeTurns } from "./merge-turns.js";
import type { MessagePicture } from "./message-picture-ports.js";
import { asSent, MOST_PICTURES, shownIn, withPictureTurns } from "./message-pictures.js";
import { runOnce } from "../operations.js";
import { addDocumentSchema, prepareDocument } from "./prepare-document.js";
import type { Repositories } from "../ports.js";
import type { Document, Turn } from "../types.js";
import { findAddressed, writeDocument, type DocumentReceipt } from "./write-document.js";

/** How many times the size limit of one text a conversation may grow to, message by message. */
const LONGEST_IN_TEXTS = 16;
/** Placeholder for the text check when a submission has no text. */
const NO_TEXT = "-";

/** Reason for the warning: somebody may have said the same twice, or a client may be resending what it is unsure of. */
const REPEATED =
  "messages: the only message is already in the conversation, so it was taken to be the same and not added again. If it was said once more, send it after the last message of the conversation";

export const conversationSchema = z.object({
  conversationId: customIdSchema,
  messages: z.array(messageSchema, "must be an array").min(1, "must not be empty"),
  containerTags: z.array(containerTagSchema).max(MOST_CONTAINERS_OF_DOCUMENT).optional(),
  metadata: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean()], "must be a string, a number or a boolean"),
      "must be an object",
    )
    .optional(),
  endUserId: endUserOfAddition,
  entityContext: noteSchema(1_500).optional(),
  forgetAfter: addDocumentSchema.shape.forgetAfter,
});

export interface ConversationReceipt extends DocumentReceipt {
  readonly conversationId: string;
  /** What of its messages is not stored, or not as it was sent. */
  readonly warnings: readonly string[];
}

/**
 * Stores a conversation as the document whose customId is its id. Messages it already has are not added again, whether the
 * whole conversation or only the new part is sent (contract 2.11); an edited message replaces the old version.
 * @throws AppError as `writeDocument` does, and `too_large` for one that has grown beyond 16 texts of the largest size
 */
export async function addConversation(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ConversationReceipt> {
  const { conversationId, messages, ...fields } = parseInput(conversationSchema, raw);
  const { actor } = call;
  const { turns, pictures, warnings } = readMessages(messages);
  const transcript = transcriptOf(turns);
  checkSize("messages", transcript, context.limits);
  const content = transcript === "" ? NO_TEXT : transcript;
  const prepared = prepareDocument(context, actor, { ...fields, content, customId: conversationId });
  const { unreadable, isRepeated, ...receipt } = await runOnce(
    context,
    call,
    "addConversation",
    async (repositories) => {
      const existing = await findAddressed(repositories, actor, conversationId, prepared.containerTags);
      const kept = existing?.turns ?? [];
      const merged = withPictureTurns(mergeTurns(asSent(kept), turns), kept);
      const whole = transcriptOf(merged);
      checkGrowth(whole, context.limits);
      const { unread, unreadable } = await newPictures(repositories, existing, { turns: merged, pictures });
      const input = { ...prepared.input, content: whole };
      const isUnread = unread.length > 0 || (await isAwaited(repositories, existing, merged));
      const known = { turns: merged, ...(isUnread && { isUnread }) };
      const written = await writeDocument(repositories, actor, { ...prepared, input, known });
      await repositories.messagePictures.add(actor.organizationId, written.id, unread);
      const isRepeated =
        kept.length > 0 && turns.length === 1 && merged.length === kept.length && whole === transcriptOf(kept);
      return { ...written, unreadable, isRepeated };
    },
  );
  context.wakeJobs();
  const tooMany = `messages: ${unreadable} images are not read, because at most ${MOST_PICTURES} are read per conversation`;
  const told = [
    ...(receipt.warnings ?? []),
    ...warnings,
    ...(unreadable > 0 ? [tooMany] : []),
    ...(isRepeated ? [REPEATED] : []),
  ];
  return { ...receipt, conversationId, warnings: told };
}

/** Newly sent pictures not seen before in this conversation, up to the limit per conversation. */
async function newPictures(
  { messagePictures }: Repositories,
  existing: Document | null,
  { turns, pictures }: { readonly turns: readonly Turn[]; readonly pictures: readonly MessagePicture[] },
): Promise<{ readonly unread: readonly MessagePicture[]; readonly unreadable: number }> {
  const known = existing ? await messagePictures.digests(existing.organizationId, existing.id) : new Set<string>();
  const shown = shownIn(turns);
  const room = Math.max(0, MOST_PICTURES - known.size);
  const all = pictures.filter(({ digest }) => shown.has(digest) && !known.has(digest));
  const unread = all.slice(0, room);
  return { unread, unreadable: all.length - unread.length };
}

/**
 * Whether a conversation continues while pictures in it wait to be read: their text will be inserted between its turns, so the
 * stored text will no longer be a prefix of what follows.
 */
async function isAwaited(
  { messagePictures }: Repositories,
  existing: Document | null,
  turns: readonly Turn[],
): Promise<boolean> {
  if (!existing || transcriptOf(existing.turns ?? []) === transcriptOf(turns)) return false;
  return (await messagePictures.unread(existing.organizationId, existing.id)).length > 0;
}

function checkGrowth(transcript: string, { maxTextBytes }: Limits): void {
  const most = LONGEST_IN_TEXTS * maxTextBytes;
  if (Buffer.byteLength(transcript) > most)
    throw new AppError(
      "too_large",
      `messages: the conversation would have more than ${most} bytes (${LONGEST_IN_TEXTS} times RECOLLECT_MAX_TEXT_BYTES). Start another one.`,
    );
}

/** Readable text of a conversation: one paragraph per turn. The beginning never changes while turns are added. */
export function transcriptOf(turns: readonly Turn[]): string {
  return turns.map(({ speaker, text }) => `${speaker}: ${text}`).join("\n\n");
}

/** Longest name of a speaker in a transcript. */
const LONGEST_SPEAKER = 255;

/** Where the turns of these speakers begin in a transcript, in order. */
export function turnStarts(transcript: string, speakers: ReadonlySet<string>): number[] {
  const starts: number[] = [];
  for (let from = 0; from !== 1; from = transcript.indexOf("\n\n", from) + 2) {
    const head = transcript.slice(from, from + LONGEST_SPEAKER + 2);
    for (let colon = head.indexOf(": "); colon !== -1; colon = head.indexOf(": ", colon + 1))
      if (speakers.has(head.slice(0, colon))) starts.push(from + colon + 2);
  }
  return starts;
}
