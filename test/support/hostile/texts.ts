import { hostile, type HostileFile } from "./hostile-file.js";

const MEGABYTE = 1_000_000;
const LAUGHS = [
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "laugh ">',
  ...Array.from({ length: 12 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`),
  "]>",
].join("");
const EVENT = "BEGIN:VEVENT\r\nSUMMARY:Meeting\r\nDTSTART:20200101T000000Z\r\n";
const calendar = (content: string) => `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${content}END:VCALENDAR\r\n`;
const MAIL = "From: a@example.org\r\nTo: b@example.org\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n";
const filled = (line: string, megabytes: number) => Buffer.alloc(megabytes * MEGABYTE, line);

function deepMail(depth: number, type: (level: number) => string): string {
  return MAIL + Array.from({ length: depth }, (_, level) => `${type(level)}\r\n`).join("") + "text";
}

/** Texts, data, mails and calendars. */
export const HOSTILE_TEXTS: readonly HostileFile[] = [
  hostile("no bytes", "empty.pdf", () => "", "application/pdf"),
  hostile("no bytes", "empty.txt", () => "", "text/plain"),
  hostile("only bytes of zero", "zeros.csv", () => new Uint8Array(MEGABYTE)),
  hostile("49 MB of words", "words.txt", () => filled("The ferry leaves at noon from quay seven.\n", 49), "text/plain"),
  hostile("49 MB in one line", "line.html", () => filled("word ", 49), "text/html"),
  hostile("49 MB of cells", "cells.csv", () => filled("ferry,noon,7\n", 49)),
  hostile("a cell of 10 MB", "cell.csv", () => `a,b\n"${"x".repeat(10 * MEGABYTE)}",1\n`),
  hostile("a quote that is not closed", "quote.csv", () => `a,b\n"${"x,1\n".repeat(3 * MEGABYTE)}`),
  hostile("a million columns", "columns.csv", () => `${"a,".repeat(MEGABYTE)}\n${"1,".repeat(MEGABYTE)}\n`),
  hostile("quotes only", "quotes.tsv", () => '"'.repeat(5 * MEGABYTE)),
  hostile("a million arrays in each other", "deep.json", () => "[".repeat(MEGABYTE) + "]".repeat(MEGABYTE)),
  hostile("a million objects in each other", "objects.json", () => '{"a":'.repeat(MEGABYTE)),
  hostile(
    "names that belong to the language",
    "names.json",
    () => '{"__proto__":{"polluted":1},"constructor":{"prototype":{"a":1}},"toString":"x"}',
  ),
  hostile("a number of a million digits", "digits.json", () => `[${"9".repeat(MEGABYTE)}]`),
  hostile("a million lines", "lines.jsonl", () => '{"a":1}\n'.repeat(MEGABYTE)),
  hostile("lines with ever other names", "fields.jsonl", () =>
    Array.from({ length: 20_000 }, (_, index) => `{"name${index}":${index}}`).join("\n"),
  ),
  hostile("billion laughs", "laughs.xml", () => `${LAUGHS}<a>&l12;</a>`),
  hostile(
    "billion laughs",
    "laughs.svg",
    () => `${LAUGHS}<svg xmlns="http://www.w3.org/2000/svg"><text>&l12;</text></svg>`,
  ),
  hostile(
    "an external entity",
    "external.xml",
    () => '<!DOCTYPE a [<!ENTITY secret SYSTEM "file:///etc/passwd">]><a>&secret;</a>',
  ),
  hostile("a million elements in each other", "deep.xml", () => `<?xml version="1.0"?>${"<a>".repeat(MEGABYTE)}`),
  hostile(
    "an element with a million attributes",
    "attributes.xml",
    () => `<a ${Array.from({ length: 300_000 }, (_, index) => `a${index}="1"`).join(" ")}/>`,
  ),
  hostile("a comment without end", "comment.xml", () => `<a><!--${"-- ".repeat(3 * MEGABYTE)}`),
  hostile(
    "drawings that use themselves",
    "use.svg",
    () => '<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><use href="#a"/><use href="#a"/></g></svg>',
  ),
  hostile("200,000 boxes in each other", "deep.html", () => `<!doctype html><body>${"<div>".repeat(200_000)}text`),
  hostile("500,000 letters that stay bold", "bold.html", () => `<!doctype html><body>${"<p><b>a".repeat(150_000)}`),
  hostile("tables in tables", "tables.html", () => `<!doctype html>${"<table><tr><td>".repeat(20_000)}`),
  hostile("a tag without end", "tag.html", () => `<!doctype html><a ${'href="x" '.repeat(MEGABYTE)}`),
  hostile("open brackets only", "brackets.html", () => `<!doctype html>${"<".repeat(5 * MEGABYTE)}`),
  hostile(
    "a cell that spans a billion columns",
    "span.html",
    () =>
      `<!doctype html><table>${'<tr><td colspan="1000000000" rowspan="1000000000">a</td></tr>'.repeat(1_000)}</table>`,
  ),
  hostile("millions of groups", "groups.rtf", () => `{\\rtf1${"{".repeat(5 * MEGABYTE)}`),
  hostile("millions of groups that are closed", "closed.rtf", () => `{\\rtf1${"{}".repeat(5 * MEGABYTE)}}`),
  hostile("bytes that it does not have", "binary.rtf", () => "{\\rtf1\\bin99999999999999 x\\u-99999999999 ?}"),
  hostile("cells without rows", "cells.rtf", () => `{\\rtf1\\trowd${"\\cellx1\\intbl a\\cell".repeat(300_000)}}`),
  hostile("every second, for ever", "seconds.ics", () => calendar(`${EVENT}RRULE:FREQ=SECONDLY\r\nEND:VEVENT\r\n`)),
  hostile("a day that never comes", "never.ics", () =>
    calendar(`${EVENT}RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5\r\nEND:VEVENT\r\n`),
  ),
  hostile("100,000 events without end", "events.ics", () =>
    calendar(`${EVENT}RRULE:FREQ=DAILY\r\nEND:VEVENT\r\n`.repeat(100_000)),
  ),
  hostile("components in each other", "deep.ics", () => calendar(EVENT.repeat(100_000))),
  hostile("100,000 mails", "many.mbox", () =>
    `From a@example.org Thu Jan  1 00:00:00 2026\n${MAIL}\r\nHi.\r\n\r\n`.repeat(100_000),
  ),
  hostile("2,000 parts in each other", "deep.eml", () =>
    deepMail(2_000, (level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}`),
  ),
  hostile("mails in mails", "mails.eml", () =>
    deepMail(2_000, () => `Content-Type: message/rfc822\r\n\r\n${MAIL.trimEnd()}`),
  ),
  hostile("parts that all have one border", "border.eml", () =>
    deepMail(100_000, () => "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b"),
  ),
  hostile("a line of 5 MB in its head", "head.eml", () => `Subject: ${"=?utf-8?B?".repeat(500_000)}\r\n${MAIL}\r\nHi.`),
  hostile("300,000 lines in its head", "lines.eml", () => `${MAIL}${"X-A: b\r\n".repeat(300_000)}\r\nHi.`),
  hostile(
    "100,000 addresses",
    "addresses.eml",
    () => `${MAIL}Cc: ${'"a, <b" <c@example.org>, '.repeat(100_000)}\r\n\r\nHi.`,
  ),
  hostile("500,000 subtitles", "many.vtt", () => `WEBVTT\n\n${"00:00.000 --> 00:01.000\na\n\n".repeat(500_000)}`),
  hostile("times that do not exist", "times.srt", () => "1\n99999999:99:99,999 --> -1:00:00,000\na\n\n".repeat(1_000)),
  hostile(
    "characters that are none",
    "broken.md",
    () => Buffer.alloc(MEGABYTE, "\xff\xfe\xed\xa0\x80\x00\x1b[2J", "latin1"),
    "text/markdown",
  ),
];
