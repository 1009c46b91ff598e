import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import * as z from "zod";
import { ItemGone } from "../../../core/connections/connector-errors.js";
import type { SourceContent, SourceItem } from "../../../core/ports.js";
import { type GmailApi, isCounted, parseGmail } from "./gmail-api.js";
import { singleSpaced } from "../../../lib/single-spaced.js";

interface Part {
  readonly mimeType: string;
  readonly filename: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: { readonly data?: string | undefined; readonly attachmentId?: string | undefined };
  readonly parts: readonly Part[];
}

const EMPTY: Part = { mimeType: "", filename: "", headers: [], body: {}, parts: [] };
/** Levels of message parts; mail programs produce only a few. */
const DEEPEST = 50;
/** Replaces anything deeper, so that one odd mail does not prevent its thread from being read. */
const LEFT_OUT: Part = {
  ...EMPTY,
  mimeType: "text/plain",
  body: { data: Buffer.from(`[Parts deeper than ${DEEPEST} levels were left out.]`).toString("base64url") },
};

function partsDownTo(levels: number): z.ZodType<readonly Part[]> {
  if (levels === 0) return z.array(z.unknown()).transform(({ length }) => (length === 0 ? [] : [LEFT_OUT]));
  return z.array(partDownTo(levels - 1));
}

function partDownTo(levels: number): z.ZodType<Part> {
  return z.object({
    mimeType: z.string().default(""),
    filename: z.string().default(""),
    headers: z.array(z.object({ name: z.string(), value: z.string().default("") })).default([]),
    body: z.object({ data: z.string().optional(), attachmentId: z.string().optional() }).default({}),
    parts: partsDownTo(levels).default([]),
  });
}

const partSchema = partDownTo(DEEPEST);
const messageSchema = z.object({
  id: z.string(),
  labelIds: z.array(z.string()).default([]),
  internalDate: z.coerce.number().default(0),
  payload: partSchema.default(EMPTY),
});
type Message = z.infer<typeof messageSchema>;
const threadSchema = z.object({ historyId: z.string().exactOptional(), messages: z.array(messageSchema).default([]) });
const attachmentSchema = z.object({ data: z.string().default("") });

/** More than a document needs to be findable. */
const MOST_NAMES = 100;
const LONGEST_VALUE = 500;

/** A thread changes only with its set of messages: no message is ever edited. */
export function threadVersion(messages: readonly { readonly id: string }[]): string {
  const ids = messages.map(({ id }) => id).sort();
  return `${ids.length}-${createHash("sha256").update(ids.join()).digest("hex").slice(0, 16)}`;
}

/** The current version of a thread; null where none of its messages counts any more. */
export async function currentVersion(api: GmailApi, id: string): Promise<string | null> {
  const query = [
    ["format", "minimal"],
    ["fields", "messages(id,labelIds)"],
  ] as const;
  const answer = await api.get(`threads/${encodeURIComponent(id)}`, query, [404]);
  if (answer.status === 404) return null;
  const messages = parseGmail(threadSchema, answer).messages.filter(isCounted);
  return messages.length === 0 ? null : threadVersion(messages);
}

/**
 * As `Connector.read`: the messages of a thread as a mailbox. It becomes Markdown with headers where all mail is read, isolated
 * from the server, since strangers write it. @throws ItemGone
 */
export async function readThread(api: GmailApi, { id }: SourceItem): Promise<SourceContent> {
  const answer = await api.get(`threads/${encodeURIComponent(id)}`, [["format", "full"]], [404]);
  if (answer.status === 404) throw new ItemGone("It is no longer in Gmail.");
  const { historyId, messages: all } = parseGmail(threadSchema, answer);
  const messages = all.filter(isCounted);
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined) throw new ItemGone("All of its messages are spam or in the bin.");
  const mails: string[] = [];
  for (const message of messages) mails.push(await mailOf(api, message));
  const names = messages.flatMap(({ payload }) => attachmentNames(payload));
  const subject = headerOf(first, "subject");
  return {
    content: Buffer.from(mails.join("\n"), "utf8"),
    mimeType: "application/mbox",
    fileName: `${id}.mbox`,
    type: null,
    title: subject === "" ? null : subject,
    changedAt: dateOf(last),
    metadata: {
      type: "gmail_thread",
      threadId: id,
      subject,
      from: headerOf(first, "from"),
      to: headerOf(first, "to"),
      date: dateOf(last),
      messageCount: messages.length,
      attachmentCount: names.length,
      attachmentNames: names.slice(0, MOST_NAMES),
    },
    version: threadVersion(messages),
    // Includes what the history reported before.
    ...(historyId !== undefined && { detail: { historyId } }),
  };
}

function dateOf({ internalDate }: Message): string {
  return new Date(internalDate).toISOString();
}

function headerOf({ payload }: Message, wanted: string): string {
  const found = payload.headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? "";
  return singleSpaced(found).slice(0, LONGEST_VALUE).toWellFormed();
}

function attachmentNames(part: Part): string[] {
  const own = part.filename === "" ? [] : [part.filename.slice(0, LONGEST_VALUE).toWellFormed()];
  return [...own, ...part.parts.flatMap(attachmentNames)];
}

/** One message of the mailbox: its headers and text, without attachments. */
async function mailOf(api: GmailApi, message: Message): Promise<string> {
  const texts = await textsOf(api, message.id, message.payload);
  // The sender of a mail cannot know its future id, so no text can contain this.
  const boundary = `=_${createHash("sha256").update(message.id).digest("hex").slice(0, 40)}`;
  const headers = ["From", "To", "Cc", "Date", "Subject"].flatMap((name) => {
    const value = headerOf(message, name.toLowerCase());
    return value === "" ? [] : [`${name}: ${encodedHeader(name, value)}`];
  });
  const bodies = (["text/plain", "text/html"] as const).flatMap((mimeType) => {
    const text = texts.flatMap((one) => (one.mimeType === mimeType ? [one.text] : [])).join("\n\n");
    if (text === "") return [];
    const encoded = mimeType === "text/html" ? Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\n") : text;
    const encoding = mimeType === "text/html" ? "base64" : "8bit";
    return `--${boundary}\nContent-Type: ${mimeType}; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${encoded}\n`;
  });
  const mail = [
    ...headers,
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    ...bodies,
    `--${boundary}--`,
    "",
  ].join("\n");
  return `From gmail@localhost Thu Jan  1 00:00:00 1970\n${mail.replace(/^(>*From )/gm, ">$1")}`;
}

/** Addresses stay unencoded, since encoded words must not hide their separators; mail is read as UTF-8 here. */
function encodedHeader(name: string, value: string): string {
  const isAscii = /^[\x20-\x7e]*$/.test(value);
  return name === "Subject" && !isAscii ? `=?utf-8?B?${Buffer.from(value).toString("base64")}?=` : value;
}

interface Text {
  readonly mimeType: string;
  readonly text: string;
}

async function textsOf(api: GmailApi, messageId: string, part: Part): Promise<Text[]> {
  if (part.filename !== "") return [];
  if (part.mimeType === "text/plain" || part.mimeType === "text/html") {
    const data = part.body.data ?? (await largeBody(api, messageId, part.body.attachmentId));
    return [{ mimeType: part.mimeType, text: decode(Buffer.from(data, "base64url"), part) }];
  }
  const texts: Text[] = [];
  // One by one, since spreading more values than a call allows would fail.
  for (const inner of part.parts) for (const text of await textsOf(api, messageId, inner)) texts.push(text);
  return texts;
}

/** Gmail leaves a long text out of the thread, and returns it as an attachment. */
async function largeBody(api: GmailApi, messageId: string, attachmentId: string | undefined): Promise<string> {
  if (attachmentId === undefined) return "";
  const path = `messages/${encodeURIComponent(messageId)}/attachments/${encodeURIComponent(attachmentId)}`;
  return parseGmail(attachmentSchema, await api.get(path, [])).data;
}

function decode(bytes: Buffer, { headers }: Part): string {
  const type = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  const named = /charset="?([\w-]{1,40})/i.exec(type)?.[1];
  if (isUtf8(bytes) || named === undefined) return bytes.toString("utf8").replaceAll("\r\n", "\n");
  try {
    return new TextDecoder(named).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return bytes.toString("latin1").replaceAll("\r\n", "\n");
  }
}
