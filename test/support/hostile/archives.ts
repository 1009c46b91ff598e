import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { extractorFixture } from "../extractor-fixtures.js";
import { hostile, type HostileFile } from "./hostile-file.js";
import { packedRepeats } from "./packed-repeats.js";

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const DOCUMENT = `<w:document ${WORD}><w:body><w:p><w:r><w:t>Kept</w:t></w:r></w:p></w:body></w:document>`;
const LAUGHS = [
  '<!DOCTYPE a [<!ENTITY l0 "laugh ">',
  ...Array.from({ length: 12 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`),
  "]>",
].join("");
const EXTERNAL =
  '<!DOCTYPE a [<!ENTITY secret SYSTEM "file:///etc/passwd"><!ENTITY % more SYSTEM "http://127.0.0.1:9/">%more;]>';

/** An office document with one part replaced. */
function replaced(fixture: string, part: string, change: (xml: string) => string): Uint8Array {
  const parts = unzipSync(extractorFixture(fixture));
  const changed = { ...parts, [part]: strToU8(change(strFromU8(parts[part] ?? new Uint8Array()))) };
  return rawZip(Object.entries(changed).map(([name, content]) => ({ name, content })));
}

const docx = (xml: string, others: Record<string, Uint8Array> = {}) =>
  zipSync({ ...others, "word/document.xml": strToU8(xml) }, { level: 6 });

const afterDeclaration = (added: string) => (xml: string) =>
  xml.replace(/^(?:<\?xml[^>]*\?>)?/, (head) => head + added);

interface RawEntry {
  readonly name: string;
  readonly content: Uint8Array;
  /** The packed content, if it is packed already. */
  readonly packed?: Uint8Array;
  readonly checksum?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly declared?: number;
  readonly offset?: number;
}

/** An archive whose directory may be false. */
function rawZip(entries: readonly RawEntry[], { directoryAt }: { directoryAt?: number } = {}): Uint8Array {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, method = 8, flags = 0, declared = content.length, offset, ...entry } of entries) {
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : Buffer.from(content));
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(flags, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(entry.checksum ?? crc32(content), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(declared, 18);
    shared.writeUInt16LE(name.length, 22);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 4);
    shared.copy(central, 6);
    central.writeUInt32LE(offset ?? at, 42);
    directory.push(central, Buffer.from(name));
    if (offset !== undefined) continue;
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), shared, Buffer.from(name), packed]);
    locals.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length & 0xffff, 8);
  end.writeUInt16LE(entries.length & 0xffff, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(directoryAt ?? at, 16);
  return Buffer.concat([...locals, central, end]);
}

const part = (changes: Partial<RawEntry> = {}): RawEntry => ({
  name: "word/document.xml",
  content: strToU8(DOCUMENT),
  ...changes,
});

/** A part that contains a piece thousands of times between a beginning and an end. */
function repeatedPart(start: string, piece: string, thousands: number, end: string): RawEntry {
  const pieces = strToU8(piece.repeat(1_000));
  const packed = packedRepeats(pieces, thousands, { start: strToU8(start), end: strToU8(end) });
  let checksum = crc32(start);
  for (let count = 0; count < thousands; count += 1) checksum = crc32(pieces, checksum);
  const declared = start.length + pieces.length * thousands + end.length;
  return part({ content: new Uint8Array(), packed, declared, checksum: crc32(end, checksum) });
}

const PATHS = ["../../../../etc/cron.d/x", "/etc/passwd", "C:\\Windows\\x", "word/../../x", "con", "a\u0000b"];
const nested = (depth: number): Uint8Array =>
  Array.from({ length: depth }).reduce<Uint8Array>((inner) => zipSync({ "a.zip": inner }), strToU8("end"));
const cells = (content: string) => (xml: string) =>
  xml.replace(/<sheetData>.*<\/sheetData>/s, `<sheetData>${content}</sheetData>`);
const SHEET = "xl/worksheets/sheet1.xml";

/** Archives, and the office files based on them. */
export const HOSTILE_ARCHIVES: readonly HostileFile[] = [
  hostile("a part of 100 MB of spaces", "bomb.docx", () =>
    rawZip([repeatedPart("<w:document>", " ".repeat(100), 1_000, "</w:document>")]),
  ),
  hostile("85 MB of elements", "elements.docx", () =>
    rawZip([
      repeatedPart(
        `<w:document ${WORD}><w:body>`,
        "<w:p><w:r><w:t>a</w:t></w:r></w:p>",
        2_500,
        "</w:body></w:document>",
      ),
    ]),
  ),
  hostile("gzip of 100 MB", "bomb.gz", () => gzipSync(Buffer.alloc(100_000_000), { level: 1 }), "application/gzip"),
  hostile("gzip that is called a web page", "bomb.html", () => gzipSync(Buffer.alloc(30_000_000, "<b>")), "text/html"),
  hostile("archives in archives", "nested.zip", () => nested(400), "application/zip"),
  hostile("archives in archives that are called a document", "nested.docx", () => nested(40)),
  hostile("60,000 parts", "parts.docx", () => {
    const same = part({ packed: deflateRawSync(strToU8(DOCUMENT)), offset: 0 });
    return rawZip([part(), ...Array.from({ length: 60_000 }, (_, index) => ({ ...same, name: `p${index}` }))]);
  }),
  hostile("parts that lie on each other", "overlap.docx", () =>
    rawZip([
      part({ content: strToU8(DOCUMENT + " ".repeat(20_000_000)) }),
      ...Array.from({ length: 500 }, () => part({ offset: 0 })),
    ]),
  ),
  hostile("the same part twice", "twice.docx", () =>
    rawZip([part(), part({ content: strToU8(DOCUMENT.replace("Kept", "Other")) })]),
  ),
  hostile("names that lead elsewhere", "paths.docx", () =>
    docx(DOCUMENT, Object.fromEntries(PATHS.map((path) => [path, strToU8("x")]))),
  ),
  hostile("a size that is too small", "small.docx", () => rawZip([part({ declared: 1 })])),
  hostile("a size that is too large", "large.docx", () => rawZip([part({ declared: 0xfffffffe })])),
  hostile("an encrypted part", "encrypted.docx", () => rawZip([part({ flags: 1 })])),
  hostile("an unknown compression", "method.docx", () => rawZip([part({ method: 99 })])),
  hostile("a directory behind the end", "directory.docx", () => rawZip([part()], { directoryAt: 0xfffffff0 })),
  hostile("a directory that begins in a part", "inside.docx", () => rawZip([part()], { directoryAt: 3 })),
  hostile("an old Office file that is called a new one", "old.docx", () =>
    Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(4_096)]),
  ),
  hostile("billion laughs", "laughs.docx", () => docx(`${LAUGHS}<w:document ${WORD}><w:p>&l12;</w:p></w:document>`)),
  hostile("an external entity", "external.docx", () => docx(`${EXTERNAL}<w:document ${WORD}>&secret;</w:document>`)),
  hostile("billion laughs", "laughs.odt", () => replaced("garden.odt", "content.xml", afterDeclaration(LAUGHS))),
  hostile("an external entity", "external.odt", () =>
    replaced("garden.odt", "content.xml", afterDeclaration(EXTERNAL)),
  ),
  hostile("billion laughs", "laughs.xlsx", () => replaced("prices.xlsx", SHEET, afterDeclaration(LAUGHS))),
  hostile("billion laughs", "laughs.epub", () =>
    replaced("garden.epub", "META-INF/container.xml", afterDeclaration(LAUGHS)),
  ),
  hostile("a book whose list of parts leads elsewhere", "elsewhere.epub", () =>
    replaced("garden.epub", "META-INF/container.xml", (xml) =>
      xml.replace(/full-path="[^"]*"/, 'full-path="/etc/passwd"'),
    ),
  ),
  hostile("100,000 elements in each other", "deep.docx", () =>
    docx(`<w:document ${WORD}><w:body>${"<w:p>".repeat(100_000)}</w:body></w:document>`),
  ),
  hostile("2,000 tables in each other", "tables.docx", () =>
    docx(
      `<w:document ${WORD}><w:body>${"<w:tbl><w:tr><w:tc>".repeat(2_000)}x${"</w:tc></w:tr></w:tbl>".repeat(2_000)}</w:body></w:document>`,
    ),
  ),
  hostile("100,000 lists in each other", "deep.odt", () =>
    replaced("garden.odt", "content.xml", (xml) =>
      xml.replace(/<office:text[^>]*>/, (start) => start + "<text:list><text:list-item>".repeat(50_000)),
    ),
  ),
  hostile("a cell that is repeated two billion times", "repeated.ods", () =>
    replaced("prices.ods", "content.xml", (xml) =>
      xml
        .replaceAll("<table:table-cell ", '<table:table-cell table:number-columns-repeated="2147483647" ')
        .replaceAll("<table:table-row ", '<table:table-row table:number-rows-repeated="2147483647" '),
    ),
  ),
  hostile("one cell at the far end", "far.xlsx", () =>
    replaced("prices.xlsx", SHEET, cells('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')),
  ),
  hostile("cells beyond every sheet", "beyond.xlsx", () =>
    replaced(
      "prices.xlsx",
      SHEET,
      cells('<row r="1"><c r="ZZZZZZZZ99999999999"><v>1</v></c><c r="A1" t="s"><v>99999999</v></c></row>'),
    ),
  ),
  hostile("all cells joined", "joined.xlsx", () =>
    replaced("prices.xlsx", SHEET, (xml) =>
      xml.replace("</sheetData>", '</sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
    ),
  ),
  hostile("a million rows", "rows.xlsx", () =>
    replaced("prices.xlsx", SHEET, cells('<row><c t="n"><v>1</v></c></row>'.repeat(1_000_000))),
  ),
  hostile("a presentation whose slides are gone", "slides.pptx", () =>
    replaced("talk.pptx", "ppt/_rels/presentation.xml.rels", (xml) =>
      xml.replace(/Target="slides\/[^"]*"/g, 'Target="../../../etc/passwd"'),
    ),
  ),
];
