import type { ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import { GatheredParts } from "../gathered-parts.js";
import type { ExtractionTools } from "../format-extractor.js";
import { plainText } from "../plain-text.js";
import { readMail } from "./read-mail.js";

/** Reads a mail: subject, senders and recipients, text including quotations, and attachments. @throws ExtractionError `empty` */
export async function extractMail(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const mail = await readMail(file.bytes, tools);
  if (mail === null) return { ...plainText(file, "The file is not a well-formed email.", tools), isByStranger: true };
  const gathered = new GatheredParts(tools.limits);
  for (const note of mail.notes) gathered.note(note);
  gathered.add(mail.text);
  const { subject: title, author, date, attachments, metadata } = mail;
  return gathered.content("text", { title, author, date, attachments, metadata, isByStranger: true });
}
