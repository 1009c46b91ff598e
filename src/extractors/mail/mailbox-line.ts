/**
 * The separator line before each mail of a mailbox: `From ada@example.org Thu Jan  1 00:00:00 2026`. A sentence may begin with
 * the same word, but hardly ever has a weekday as its third word, followed by a year.
 */
export const MAILBOX_LINE = /^From \S{1,320} +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [^\n]{0,80}?\d{4}[^\n]{0,80}(?:\n|$)/;
