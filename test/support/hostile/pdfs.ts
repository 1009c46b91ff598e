import { deflateSync } from "node:zlib";
import { hostile, type HostileFile } from "./hostile-file.js";
import { packedBytes } from "./packed-repeats.js";

type PdfObject = string | { readonly dictionary: string; readonly stream: Uint8Array };

/** A PDF of these objects, numbered from 1; the first is the catalogue. */
function pdf(objects: readonly PdfObject[], trailer = ""): Uint8Array {
  const pieces: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let at = 9;
  const write = (piece: Buffer): void => {
    pieces.push(piece);
    at += piece.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(at);
    const { dictionary, stream } = typeof object === "string" ? { dictionary: object, stream: null } : object;
    const length = stream === null ? "" : `/Length ${stream.length}`;
    write(
      Buffer.from(`${index + 1} 0 obj\n${stream === null ? dictionary : `<<${length} ${dictionary}>>`}\n`, "latin1"),
    );
    if (stream) write(Buffer.concat([Buffer.from("stream\n"), stream, Buffer.from("\nendstream\n")]));
    write(Buffer.from("endobj\n"));
  }
  const xref = at;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  write(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`));
  write(Buffer.from(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer.replace("XREF", String(xref))}>>\n`));
  write(Buffer.from(`startxref\n${xref}\n%%EOF\n`));
  return Buffer.concat(pieces);
}

const CATALOGUE = "<</Type/Catalog/Pages 2 0 R>>";
const PAGES = "<</Type/Pages/Kids[3 0 R]/Count 1>>";
const PAGE =
  "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>";
const FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
const NONE = "null";
const text = (content: string): PdfObject => ({ dictionary: "", stream: Buffer.from(content, "latin1") });
const flate = (content: Uint8Array, filters = "/FlateDecode"): PdfObject => ({
  dictionary: `/Filter ${filters}`,
  stream: content,
});
const HELLO = text("BT /F 12 Tf 50 700 Td (Hello) Tj ET");

/** A one-page file with these objects replaced. */
function onePage(
  {
    pages = PAGES,
    page = PAGE,
    content = HELLO,
    font = FONT,
    xobject = NONE,
  }: Partial<Record<"pages" | "page" | "content" | "font" | "xobject", PdfObject>> = {},
  others: readonly PdfObject[] = [],
): Uint8Array {
  return pdf([CATALOGUE, pages, page, content, font, xobject, ...others]);
}

const packedSpaces = (megabytes: number) => packedBytes(megabytes * 1_000_000, 0x20);

/** Deliberately malformed PDFs. */
export const HOSTILE_PDFS: readonly HostileFile[] = [
  hostile("nothing but a beginning", "begin.pdf", () => "%PDF-1.7\n"),
  hostile("a content that unpacks to 400 MB", "bomb.pdf", () => onePage({ content: flate(packedSpaces(400)) })),
  hostile("a content that is packed three times", "packed.pdf", () =>
    onePage({ content: flate(deflateSync(deflateSync(packedSpaces(300))), "[/FlateDecode/FlateDecode/FlateDecode]") }),
  ),
  hostile("pages that are their own parents", "pages.pdf", () =>
    onePage({ pages: "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>" }),
  ),
  hostile("pages in pages that grow by the power", "power.pdf", () =>
    pdf([
      CATALOGUE,
      ...Array.from({ length: 40 }, (_, index) => `<</Type/Pages/Kids[${index + 3} 0 R ${index + 3} 0 R]/Count 2>>`),
      PAGE,
    ]),
  ),
  hostile("a table that leads to itself", "prev.pdf", () =>
    pdf([CATALOGUE, PAGES, PAGE, HELLO, FONT, NONE], "/Prev XREF"),
  ),
  hostile("a billion pages that it does not have", "count.pdf", () =>
    onePage({ pages: "<</Type/Pages/Kids[3 0 R]/Count 1000000000>>" }),
  ),
  hostile("a length that is itself", "length.pdf", () =>
    pdf([CATALOGUE, PAGES, PAGE, "<</Length 4 0 R>>\nstream\nBT ET\nendstream", FONT, NONE]),
  ),
  hostile("a table of places that is wrong", "xref.pdf", () =>
    Buffer.from(onePage())
      .toString("latin1")
      .replace(/\d{10} 00000 n/g, "0000000003 00000 n"),
  ),
  hostile("a place of the table that does not exist", "startxref.pdf", () =>
    Buffer.from(onePage())
      .toString("latin1")
      .replace(/startxref\n\d+/, "startxref\n99999999999"),
  ),
  hostile("a page without measure", "box.pdf", () =>
    onePage({ page: PAGE.replace("0 0 600 800", "-1e38 1e38 1e300 /x") }),
  ),
  hostile("500,000 states in each other", "states.pdf", () => onePage({ content: text("q ".repeat(500_000)) })),
  hostile("a form that draws itself", "form.pdf", () =>
    onePage({
      content: text("/X Do"),
      xobject: {
        dictionary: "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>",
        stream: Buffer.from("/X Do /X Do"),
      },
    }),
  ),
  hostile("a font with tables of noise", "font.pdf", () =>
    onePage(
      {
        font: "<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar 0/LastChar 9999999/Widths 8 0 R/FontDescriptor 7 0 R>>",
      },
      [
        "<</Type/FontDescriptor/FontName/A/Flags 4/FontFile2 9 0 R>>",
        "[8 0 R]",
        {
          dictionary: "/Length1 99999999",
          stream: Buffer.concat([Buffer.from("00010000ffff000000000000", "hex"), Buffer.alloc(50_000, 0xf7)]),
        },
      ],
    ),
  ),
  hostile("a table of characters without end", "cmap.pdf", () =>
    onePage(
      { font: "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 7 0 R/DescendantFonts[5 0 R]>>" },
      [
        text(
          "begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange endcmap",
        ),
      ],
    ),
  ),
  hostile("a picture of 100,000 by 100,000 points", "picture.pdf", () =>
    onePage({
      content: text("600 0 0 800 0 0 cm /X Do"),
      xobject: {
        dictionary:
          "/Type/XObject/Subtype/Image/Width 100000/Height 100000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode",
        stream: packedSpaces(50),
      },
    }),
  ),
  hostile("pictures that are none", "jpx.pdf", () =>
    onePage({
      content: text("600 0 0 800 0 0 cm /X Do"),
      xobject: {
        dictionary: "/Type/XObject/Subtype/Image/Width 3000/Height 3000/Filter[/JBIG2Decode/JPXDecode]",
        stream: Buffer.alloc(20_000, 0x4f),
      },
    }),
  ),
  hostile("an outline that leads to itself", "outline.pdf", () =>
    pdf([
      "<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>",
      PAGES,
      PAGE,
      HELLO,
      FONT,
      "<</First 6 0 R/Next 6 0 R/Last 6 0 R/Title(a)/Count 9>>",
    ]),
  ),
  hostile("a script that runs when it is opened", "script.pdf", () =>
    pdf([
      "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(while(true){})>>>>",
      PAGES,
      PAGE,
      HELLO,
      FONT,
      NONE,
    ]),
  ),
  hostile("arrays in arrays", "arrays.pdf", () => onePage({ font: "[".repeat(200_000) })),
  hostile("300,000 pieces of text at one place", "pieces.pdf", () =>
    onePage({ content: text(`BT /F 1 Tf 50 700 Td ${"(a) Tj ".repeat(300_000)} ET`) }),
  ),
];
