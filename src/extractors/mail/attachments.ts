import { createHash } from "node:crypto";
import type { Attachment, Email } from "postal-mime";
import type { AttachedFile } from "../../core/documents/content-ports.js";
import { cleanText } from "../clean-text.js";

/** More files than any mail is sent with; a mail of many thousand would keep whoever looks at them busy. */
export const MOST_FILES = 200;
export const FILES_LEFT_OUT = `Only the first ${MOST_FILES} files that lie in it were looked at.`;

/** Files that came with a mail, up to one beyond `MOST_FILES`: not the pictures that its text shows, nor signatures, nor what is read as text of the mail itself. */
export function attachmentsOf(email: Email, read: readonly Attachment[]): AttachedFile[] {
  const looked = email.attachments.slice(0, MOST_LOOKED_AT);
  const files = looked.filter(
    (one) => !read.includes(one) && !isReport(one) && !SIGNATURES.test(one.mimeType) && !isShown(one, email),
  );
  // Invitations come twice, as a part to be shown and as a file.
  const different = new Map(files.map((one) => [fingerprint(one), one]));
  return [...different.values()].slice(0, MOST_FILES + 1).map((one) => ({
    name: fileName(one.filename),
    mimeType: /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(one.mimeType) ? one.mimeType : null,
    bytes: bytesOf(one),
  }));
}

/** Parts of one mail; pictures that its text shows are among them. */
const MOST_LOOKED_AT = 2_000;

const SIGNATURES = /^application\/(?:(?:x-)?pkcs7-signature|pgp-signature|pgp-encrypted)$/;

/** A mail in a mail that is to be read with it. */
export function isForwarded({ mimeType, disposition }: Attachment): boolean {
  return mimeType === "message/rfc822" && disposition !== "attachment";
}

/** What mail servers tell of a mail, in words. */
export function isReport({ mimeType, disposition }: Attachment): boolean {
  return disposition !== "attachment" && REPORTS.has(mimeType);
}

const REPORTS = new Set([
  "message/delivery-status",
  "message/disposition-notification",
  "message/feedback-report",
  "text/rfc822-headers",
]);

function isShown({ mimeType, related, contentId, disposition }: Attachment, { html }: Email): boolean {
  if (!mimeType.startsWith("image/")) return false;
  const name = contentId?.replace(/^<|>$/g, "");
  const isNamed = name !== undefined && name !== "" && html?.includes(`cid:${name}`) === true;
  return isNamed || (related === true && disposition !== "attachment");
}

export function bytesOf({ content }: Attachment): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
}

function fingerprint(one: Attachment): string {
  return createHash("sha256").update(bytesOf(one)).digest("hex");
}

const LONGEST_NAME = 255;

/** The name alone, without folders. */
function fileName(name: string | null): string | null {
  const last = cleanText(name ?? "")
    .split(/[/\\\n]/)
    .at(-1)
    ?.trim()
    .slice(-LONGEST_NAME);
  return last === undefined || last === "" || /^\.+$/.test(last) ? null : last.toWellFormed();
}
