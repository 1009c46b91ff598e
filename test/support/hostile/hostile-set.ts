import { extractorFixture } from "../extractor-fixtures.js";
import { HOSTILE_ARCHIVES } from "./archives.js";
import { cutFixture, hostile, type HostileFile } from "./hostile-file.js";
import { packedBytes } from "./packed-repeats.js";
import { HOSTILE_PDFS } from "./pdfs.js";
import { HOSTILE_TEXTS } from "./texts.js";

const CUT = [
  "garden.epub",
  "garden.odt",
  "garden.rtf",
  "harbour.docx",
  "paper-latex.pdf",
  "photo-exiftool.jpg",
  "prices.ods",
  "prices.xlsx",
  "sign.png",
  "sign.tiff",
  "sign.webp",
  "talk.odp",
  "talk.pptx",
].map((name) => hostile("half of a file", name, () => cutFixture(name, 0.5)));

/** A file with the name and type of another format. */
const mislabelled = (fixture: string, name: string, type: string) =>
  hostile(`a wrong name of ${fixture}`, name, () => extractorFixture(fixture), type);

const MISLABELLED = [
  mislabelled("harbour.docx", "called.pdf", "application/pdf"),
  mislabelled("small-latex.pdf", "called.docx", "text/plain"),
  mislabelled("sign.png", "called.csv", "text/csv"),
  mislabelled("garden.epub", "called.ics", "text/calendar"),
  mislabelled("garden.rtf", "called.json", "application/json"),
  mislabelled("encrypted-qpdf.pdf", "locked.pdf", "application/pdf"),
  hostile("a program", "program.docx", () => Buffer.concat([Buffer.from("\x7fELF\x02\x01\x01"), Buffer.alloc(5_000)])),
];

function pngOf(width: number, height: number, data: Uint8Array): Uint8Array {
  const chunk = (type: string, content: Uint8Array): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    return Buffer.concat([length, Buffer.from(type), content, Buffer.alloc(4)]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const magic = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([magic, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", new Uint8Array())]);
}

function tiffLoop(): Uint8Array {
  const directory = Buffer.alloc(64);
  directory.write("II*\0", "latin1");
  directory.writeUInt32LE(8, 4);
  directory.writeUInt16LE(1, 8);
  directory.writeUInt32LE(8, 22);
  return directory;
}

const PICTURES = [
  hostile("a picture of four billion points each way", "huge.png", () =>
    pngOf(0xffffffff, 0xffffffff, new Uint8Array(9)),
  ),
  hostile("a picture that unpacks to 300 MB", "bomb.png", () => pngOf(10_000, 10_000, packedBytes(300_010_000, 0))),
  hostile("a picture of 65,535 points each way", "huge.gif", () =>
    Buffer.from("474946383961ffffffff800000ffffff0000002c00000000ffffffff000202440100", "hex"),
  ),
  hostile("a directory that leads to itself", "loop.tiff", tiffLoop),
  hostile("a picture that ends in its head", "short.jpg", () =>
    Buffer.from("ffd8ffe1ffff4578696600004d4d002a00000008ffff", "hex"),
  ),
  hostile("a picture of less than no points", "less.bmp", () =>
    Buffer.concat([Buffer.from("BM"), Buffer.alloc(60, 0xff)]),
  ),
  hostile("a picture without a picture", "none.heic", () =>
    Buffer.from("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic\xff\xff\xff\xffmeta", "latin1"),
  ),
];

/** All files that a service must survive. */
export const HOSTILE_SET: readonly HostileFile[] = [
  ...CUT,
  ...MISLABELLED,
  ...PICTURES,
  ...HOSTILE_ARCHIVES,
  ...HOSTILE_PDFS,
  ...HOSTILE_TEXTS,
];
