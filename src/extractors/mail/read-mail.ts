import { isUtf8 } from "node:buffer";
import type { Address, Attachment, Email } from "postal-mime";
import type { AttachedFile } from "../../core/documents/content-ports.js";
import type { Metadata } from "../../core/types.js";
import { loadOnce } from "../../lib/load-once.js";
import { cleanText } from "../clean-text.js";
import { decodeBytes } from "../decode-bytes.js";
import type { ExtractionTools } from "../format-extractor.js";
import {
  attachmentsOf,
  attachmentBytes,
  FILES_LEFT_OUT,
  isForwarded,
  isReport,
  MOST_ATTACHMENTS,
} from "./attachments.js";
import { bodyOf } from "./mail-body.js";
import { sentDate } from "./sent-date.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** One mail, from its own file or from a mailbox. */
export interface ReadMail {
  readonly subject: string | null;
  readonly author: string | null;
  /** ISO date-time with the sender's offset from UTC, or null. */
  readonly date: string | null;
  /** Markdown: subject, addresses, body, forwarded mails. */
  readonly text: string;
  readonly attachments: readonly AttachedFile[];
  readonly metadata: Metadata;
  readonly notes: readonly string[];
}

/** Maximum nesting of forwarded mails that are read as part of the outermost; deeper ones become attachments. */
const DEEPEST_FORWARD = 10;

/** Null if the bytes do not look like a mail. */
export async function readMail(bytes: Uint8Array, tools: ExtractionTools, depth = 0): Promise<ReadMail | null> {
  const email = await parse(bytes, tools);
  if (email === null || (email.from ?? email.subject ?? email.date ?? email.to ?? email.messageId) === undefined)
    return null;
  const inner = depth < DEEPEST_FORWARD ? email.attachments.filter(isForwarded) : [];
  const forwarded = await readForwarded(inner, tools, depth);
  const body = await bodyOf(email);
  const reports = email.attachments.filter(isReport).map((one) => decodeBytes(attachmentBytes(one)).text);
  const isEncrypted = body === "" && email.attachments.some(({ mimeType }) => ENCRYPTED.test(mimeType));
  const attached = [...attachmentsOf(email, inner), ...forwarded.flatMap(({ attachments }) => attachments)];
  return {
    subject: wordsOf(email.subject),
    author: wordsOf(email.from === undefined ? undefined : addressText(email.from)),
    date: sentDate(email),
    text: [headerLines(email), body, ...reports, ...forwarded.map(forwardedText)]
      .filter((piece) => piece.trim() !== "")
      .join("\n\n"),
    attachments: attached.slice(0, MOST_ATTACHMENTS),
    metadata: metadataOf(email),
    notes: [
      ...(isEncrypted ? ["The text of the email is encrypted; only its headers were read."] : []),
      ...(attached.length > MOST_ATTACHMENTS ? [FILES_LEFT_OUT] : []),
      ...new Set(forwarded.flatMap(({ notes }) => notes)),
    ],
  };
}

const ENCRYPTED = /^application\/(?:pgp-encrypted|(?:x-)?pkcs7-mime)$/;

const loadParser = loadOnce(() => import("postal-mime"));

async function parse(bytes: Uint8Array, { limits }: ExtractionTools): Promise<Email | null> {
  const { default: PostalMime } = await loadParser();
  const options = {
    forceRfc822Attachments: true,
    maxNestingDepth: Math.min(limits.maximumDepth, 256),
  };
  try {
    return await PostalMime.parse(inKnownEncoding(bytes), options);
  } catch {
    return null;
  }
}

/** Without a declared charset, the parser takes non-ASCII letters for UTF-8; old programs used other encodings. */
function inKnownEncoding(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes) || /charset ?=/i.test(Buffer.from(bytes).toString("latin1"))) return bytes;
  return Buffer.from(decodeBytes(bytes).text);
}

async function readForwarded(inner: readonly Attachment[], tools: ExtractionTools, depth: number): Promise<ReadMail[]> {
  const mails: ReadMail[] = [];
  for (const one of inner) {
    const bytes = attachmentBytes(one);
    const text = decodeBytes(bytes).text.trim();
    const unread = { subject: null, author: null, date: null, text, attachments: [], metadata: {}, notes: [] };
    mails.push((await readMail(bytes, tools, depth + 1)) ?? unread);
  }
  return mails;
}

function forwardedText({ text }: ReadMail): string {
  return `---\n\nForwarded message:\n\n${text}`;
}

function headerLines(email: Email): string {
  const subject = wordsOf(email.subject);
  const lines = [
    ["From", email.from === undefined ? "" : addressText(email.from)],
    ["To", addressTexts(email.to).join(", ")],
    ["Cc", addressTexts(email.cc).join(", ")],
    ["Bcc", addressTexts(email.bcc).join(", ")],
    ["Reply to", addressTexts(email.replyTo).join(", ")],
    ["Date", sentDate(email) ?? email.date ?? ""],
  ].flatMap(([name, value]) => (value === undefined || value === "" ? [] : `- ${name}: ${oneLine(value)}`));
  return [...(subject === null ? [] : [`# ${subject}`, ""]), ...lines].join("\n");
}

function addressTexts(addresses: readonly Address[] | undefined): string[] {
  return (addresses ?? []).map(addressText);
}

function addressText(one: Address): string {
  if (one.group !== undefined) return `${one.name}: ${one.group.map(addressText).join(", ")}`;
  return one.name === "" ? one.address : one.address === "" ? one.name : `${one.name} <${one.address}>`;
}

/** More people and mails than a thread usually names. */
const MOST_NAMED = 100;
const LONGEST_VALUE = 500;

function metadataOf(email: Email): Metadata {
  const one = (name: string, value: string | undefined) =>
    wordsOf(value) === null ? {} : { [name]: wordsOf(value) ?? "" };
  const some = (name: string, values: readonly string[]) => {
    const told = values.flatMap((value) => wordsOf(value) ?? []).slice(0, MOST_NAMED);
    return told.length === 0 ? {} : { [name]: told };
  };
  return {
    ...one("messageId", email.messageId),
    ...one("inReplyTo", email.inReplyTo),
    ...some("references", (email.references ?? "").split(/\s+/)),
    ...one("from", email.from === undefined ? undefined : addressText(email.from)),
    ...some("to", addressTexts(email.to)),
    ...some("cc", addressTexts(email.cc)),
  };
}

function wordsOf(text: string | undefined): string | null {
  const words = oneLine(text ?? "").slice(0, LONGEST_VALUE);
  return words === "" ? null : words.toWellFormed();
}

function oneLine(text: string): string {
  return singleSpaced(cleanText(text));
}
