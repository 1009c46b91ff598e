/** Lines that a mail begins with, the first empty one excluded. */
const HEADER_LINES = /^(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+/;
/** A text of somebody's own has hardly ever one of these. */
const OF_A_MAIL_ALONE = /^(?:Received|Return-Path|Delivered-To|Message-ID|DKIM-Signature|ARC-[\w-]+):/im;
const SENDER = /^From:/im;
const BESIDE_SENDER = /^(?:To|Subject|Date|Reply-To|MIME-Version):/im;

/** Characters at the beginning of a text that tell whether it is a mail. */
export const MAIL_HEAD_LENGTH = 4_100;

/**
 * Whether a text, of which this is the beginning, is a mail by its headers, whatever it is called: what strangers have written
 * must not pass for a text of one's own.
 */
export function isMailText(start: string): boolean {
  const [headers = ""] = HEADER_LINES.exec(`${start}\n`) ?? [];
  const count = headers.split(/\n(?![ \t])/).length - 1;
  if (count < 2) return false;
  return OF_A_MAIL_ALONE.test(headers) || (SENDER.test(headers) && BESIDE_SENDER.test(headers));
}
