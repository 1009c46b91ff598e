import { createHash } from "node:crypto";
import type { Attachment, Email } from "postal-mime";
import type { AttachedFile } from "../../core/documents/content-ports.js";
import { cleanText } from "../clean-text.js";

/** More files than any real mail has; a mail with many thousands would overwhelm whoever looks at it. */
export const MOST_ATTACHMENTS = 200;
export const FILES_LEFT_OUT = `Only the first ${MOST_ATTACHMENTS} attached files were looked at.`;

/**
 * Files attached to a mail, at most one more than `MOST_ATTACHMENTS`, without inline pictures, signatures, and parts that are read as
 * text of the mail itself.
 */
export function attachmentsOf(email: Email, read: readonly Attachment[]): AttachedFile[] {
  const looked = email.attachments.slice(0, MOST_LOOKED_AT);
  const files = looked.filter(
    (one) => !read.includes(one) && !isReport(one) && !SIGNATURES.test(one.mimeType) && !isShown(one, email),
  );
  // Invitations are included twice, as a displayed part and as a file.
  const different = new Map(files.map((one) => [fingerprint(one), one]));
  return [...different.values()].slice(0, MOST_ATTACHMENTS + 1).map((one) => ({
    name: fileName(one.filename),
    mimeType: /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(one.mimeType) ? one.mimeType : null,
    bytes: attachmentBytes(one),
  }));
}

/** Maximum number of parts examined in one mail, inline pictures included. */
const MOST_LOOKED_AT = 2_000;

const SIGNATURES = /^application\/(?:(?:x-)?pkcs7-signature|pgp-signature|pgp-encrypted)$/;

/** A forwarded mail that is read as part of the mail. */
export function isForwarded({ mimeType, disposition }: Attachment): boolean {
  return mimeType === "message/rfc822" && disposition !== "attachment";
}

/** A mail server's report about a mail, in words. */
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

export function attachmentBytes({ content }: Attachment): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
}

function fingerprint(one: Attachment): string {
  return createHash("sha256").update(attachmentBytes(one)).digest("hex");
}

const LONGEST_NAME = 255;

/** The file name without folders. */
function fileName(name: string | null): string | null {
  const last = cleanText(name ?? "")
    .split(/[/\\\n]/)
    .at(-1)
    ?.trim()
    .slice(-LONGEST_NAME);
  return last === undefined || last === "" || /^\.+$/.test(last) ? null : last.toWellFormed();
}
