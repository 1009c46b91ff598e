import type { AttachedFile, ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import { GatheredParts } from "../gathered-parts.js";
import { decodeBytes } from "../decode-bytes.js";
import type { ExtractionTools } from "../format-extractor.js";
import { FILES_LEFT_OUT, MOST_ATTACHMENTS } from "./attachments.js";
import { MAILBOX_LINE } from "./mailbox-line.js";
import { readMail } from "./read-mail.js";

/** Reads the mails of a mailbox in order, one part each. @throws ExtractionError `empty` */
export async function extractMailbox(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const { maximumEntries } = tools.limits;
  const gathered = new GatheredParts(tools.limits);
  const attachments: AttachedFile[] = [];
  const unread: number[] = [];
  let number = 0;
  for (const bytes of mailsIn(file.bytes)) {
    if (number === maximumEntries) {
      gathered.note(`Only the first ${maximumEntries} emails were read.`);
      break;
    }
    number += 1;
    const mail = await readMail(bytes, tools);
    if (mail === null) unread.push(number);
    for (const note of mail?.notes ?? []) gathered.note(note);
    attachments.push(...(mail?.attachments ?? []));
    if (attachments.length > MOST_ATTACHMENTS) gathered.note(FILES_LEFT_OUT);
    attachments.splice(MOST_ATTACHMENTS);
    tools.report({ unit: "entry", done: number, total: null });
    if (!gathered.add(mail?.text ?? decodeBytes(bytes).text, { entry: number })) break;
  }
  if (unread.length > 0) {
    gathered.note(damagedNote(unread));
  }
  return gathered.content("text", { attachments, isByStranger: true });
}

const MOST_NAMED = 10;

function damagedNote(unread: readonly number[]): string {
  const which = `${unread.slice(0, MOST_NAMED).join(", ")}${unread.length > MOST_NAMED ? ", …" : ""}`;
  if (unread.length === 1) return `1 email is damaged and was kept unchanged: no. ${which}.`;
  return `${unread.length} emails are damaged and were kept unchanged: nos. ${which}.`;
}

const NEWLINE = 0x0a;
const MARK = Buffer.from("From ");

/**
 * The mails between separator lines that follow an empty line. Most programs escape such lines within a mail with `>`, but not
 * all.
 */
function* mailsIn(bytes: Uint8Array): Generator<Uint8Array> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = 0;
  for (let at = buffer.indexOf(MARK); at !== -1; at = buffer.indexOf(MARK, at + 1)) {
    if (at === 0 || !followsEmptyLine(buffer, at) || !isMailboxLine(buffer, at)) continue;
    if (at > start) yield withoutMark(buffer.subarray(start, at));
    start = at;
  }
  yield withoutMark(buffer.subarray(start));
}

const LONGEST_LINE = 600;

function isMailboxLine(buffer: Buffer, at: number): boolean {
  return MAILBOX_LINE.test(buffer.toString("latin1", at, at + LONGEST_LINE));
}

function followsEmptyLine(buffer: Buffer, at: number): boolean {
  if (buffer[at - 1] !== NEWLINE) return false;
  return buffer[at - 2] === NEWLINE || (buffer[at - 2] === 0x0d && buffer[at - 3] === NEWLINE) || at === 1;
}

function withoutMark(mail: Buffer): Uint8Array {
  const text = mail.toString("latin1").replace(/^From [^\n]*\n/, "");
  return Buffer.from(text.replace(/^>(>*From )/gm, "$1"), "latin1");
}
