/** The header lines of a mail, up to the first empty line. */
const HEADER_LINES = /^(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+/;
/** A text of one's own hardly ever has one of these. */
const OF_A_MAIL_ALONE = /^(?:Received|Return-Path|Delivered-To|Message-ID|DKIM-Signature|ARC-[\w-]+):/im;
const SENDER = /^From:/im;
const BESIDE_SENDER = /^(?:To|Subject|Date|Reply-To|MIME-Version):/im;

/** Characters at the start of a text that are enough to recognise a mail. */
export const MAIL_HEAD_LENGTH = 4_100;

/**
 * Whether a text with this start is a mail by its headers, whatever its name: what strangers wrote must not pass for a
 * text of one's own.
 */
export function isMailText(start: string): boolean {
  const [headers = ""] = HEADER_LINES.exec(`${start}\n`) ?? [];
  const count = headers.split(/\n(?![ \t])/).length - 1;
  if (count < 2) return false;
  return OF_A_MAIL_ALONE.test(headers) || (SENDER.test(headers) && BESIDE_SENDER.test(headers));
}
