import { seededNumbers } from "./hostile-files.js";

const NAMESPACES = ["office:1.0", "style:1.0", "text:1.0", "table:1.0", "datastyle:1.0"]
  .map(
    (name) =>
      `xmlns:${name.startsWith("data") ? "number" : name.split(":")[0]}="urn:oasis:names:tc:opendocument:xmlns:${name}"`,
  )
  .join(" ");

const number = (attributes: string) => `<number:number number:min-integer-digits="1" ${attributes}/>`;
const word = (text: string) => `<number:text>${text}</number:text>`;
/** Styles of LibreOffice by name: their kind, and how they show a value. */
const STYLES: Readonly<Record<string, readonly [kind: string, content: string, attributes?: string]>> = {
  price: [
    "currency-style",
    `${number('number:decimal-places="2" number:min-decimal-places="2" number:grouping="true"')}${word(" ")}<number:currency-symbol>€</number:currency-symbol>`,
  ],
  share: ["percentage-style", `${number('number:decimal-places="1" number:min-decimal-places="1"')}${word("%")}`],
  day: [
    "date-style",
    `<number:day/>${word(" ")}<number:month number:textual="true"/>${word(" ")}<number:year number:style="long"/>`,
  ],
  moment: [
    "date-style",
    `<number:year number:style="long"/>${word("-")}<number:month number:style="long"/>${word("-")}<number:day number:style="long"/>${word(" ")}<number:hours number:style="long"/>${word(":")}<number:minutes number:style="long"/>`,
  ],
  weekday: [
    "date-style",
    `<number:day-of-week number:style="long"/>${word(", ")}<number:month number:style="long" number:textual="true"/>${word(" ")}<number:day number:style="long"/>`,
  ],
  duration: [
    "time-style",
    `<number:hours/>${word(":")}<number:minutes number:style="long"/>${word(":")}<number:seconds number:style="long"/>`,
    'number:truncate-on-overflow="false"',
  ],
  scientific: [
    "number-style",
    '<number:scientific-number number:decimal-places="2" number:min-decimal-places="2" number:min-integer-digits="1" number:min-exponent-digits="2"/>',
  ],
  grouped: ["number-style", number('number:decimal-places="0" number:grouping="true"')],
  padded: ["number-style", '<number:number number:decimal-places="0" number:min-integer-digits="5"/>'],
};

const HEADER = [
  "Item",
  "Price",
  "Share",
  "Day",
  "Moment",
  "Weekday",
  "Length",
  "Tiny",
  "Count",
  "Code",
  "Plain",
  "Note",
];
const ITEMS = ["amber", "birch", "cedar | ash", "delta", "größe", "東京"];

/** A spreadsheet as one LibreOffice XML file: a sheet of this many rows with a header, and a hidden one of three. */
export function sampleSheets(rows: number): string {
  const styles = Object.entries(STYLES).map(
    ([name, [kind, content, attributes = ""]]) =>
      `<number:${kind} style:name="N${name}" ${attributes}>${content}</number:${kind}><style:style style:name="${name}" style:family="table-cell" style:data-style-name="N${name}"/>`,
  );
  const hidden = `<style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style>`;
  const sheets = sheet("Sales &amp; more", rows, "") + sheet("Archive", 3, ` table:style-name="hidden"`);
  return `<?xml version="1.0" encoding="UTF-8"?><office:document ${NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>${styles.join("")}${hidden}</office:automatic-styles><office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body></office:document>`;
}

function sheet(name: string, rows: number, attributes: string): string {
  const next = seededNumbers(rows);
  const body = Array.from({ length: rows }, (_, index) => row(index, next)).join("");
  return `<table:table table:name="${name}"${attributes}><table:table-row>${HEADER.map(text).join("")}</table:table-row>${body}</table:table>`;
}

function row(index: number, next: (bound: number) => number): string {
  const two = (bound: number) => String(1 + next(bound)).padStart(2, "0");
  const day = `20${10 + next(20)}-${two(12)}-${two(28)}`;
  const cells = [
    text(`${ITEMS[next(ITEMS.length)] ?? ""} ${index}`),
    value("price", "currency", (next(900_000) - 200_000) / 100),
    value("share", "percentage", (next(10_000) * 10 + 3) / 100_000),
    `<table:table-cell table:style-name="day" office:value-type="date" office:date-value="${day}"/>`,
    `<table:table-cell table:style-name="moment" office:value-type="date" office:date-value="${day}T${two(23)}:${two(59)}:00"/>`,
    `<table:table-cell table:style-name="weekday" office:value-type="date" office:date-value="${day}"/>`,
    `<table:table-cell table:style-name="duration" office:value-type="time" office:time-value="PT${two(60)}H${two(59)}M${two(59)}S"/>`,
    value("scientific", "float", (1 + next(1_000)) * 10 ** (next(16) - 8)),
    value("grouped", "float", next(10_000_000)),
    value("padded", "float", next(100_000)),
    value("", "float", next(1_000_000) / 1_000),
    text(`note ${index}`),
  ];
  return `<table:table-row>${cells.join("")}</table:table-row>`;
}

function text(content: string): string {
  return `<table:table-cell office:value-type="string"><text:p>${content}</text:p></table:table-cell>`;
}

function value(style: string, type: string, amount: number): string {
  const styled = style === "" ? "" : ` table:style-name="${style}"`;
  return `<table:table-cell${styled} office:value-type="${type}" office:value="${amount}"/>`;
}
