import { posix } from "node:path";
import type { ExtractedContent } from "../core/documents/content-ports.js";
import { declaredEncoding, decodeBytes } from "./decode-bytes.js";
import { ExtractionError } from "./extraction-error.js";
import type { ExtractionTools, FormatExtractor } from "./format-extractor.js";
import { GatheredParts } from "./gathered-parts.js";
import { readWholePage } from "./html/main-content.js";
import {
  attributeOf,
  childOf,
  descendantsOf,
  elementsOf,
  readXmlTree,
  elementText,
  type XmlElement,
} from "./xml-events.js";
import { openZip, type ZipArchive } from "./zip-archive.js";
import { singleSpaced } from "../lib/single-spaced.js";

/** Books: one part per chapter, in the order of the package, with titles from the table of contents. */
export const extractEpub: FormatExtractor = async (file, tools) => {
  const zip = openZip(file.bytes, tools.limits);
  refuseProtected(zip, tools);
  const book = readBook(zip, tools);
  const gathered = new GatheredParts(tools.limits);
  for (const [index, chapter] of book.chapters.entries()) {
    const text = await readChapter(zip, chapter, tools);
    if (text === null) gathered.note(`Chapter ${index + 1} could not be read and was left out.`);
    gathered.add(withTitle(text ?? "", book.titles.get(chapter.part)), { entry: index + 1 });
    tools.report({ unit: "entry", done: index + 1, total: book.chapters.length });
    if (gathered.isFull) break;
  }
  const { title, author, date, metadata } = book;
  return gathered.content("text", { title: gathered.titled(title), author, date, metadata }, "The book has no text.");
};

/** Fonts are often obfuscated to prevent copying; text that is encrypted cannot be read here. */
const OF_FONTS: ReadonlySet<string> = new Set(["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]);

function refuseProtected(zip: ZipArchive, { limits }: ExtractionTools): void {
  const bytes = zip.stream("META-INF/encryption.xml");
  if (!bytes) return;
  const methods = descendantsOf(readXmlTree(bytes, limits), "EncryptionMethod");
  if (methods.some((method) => !OF_FONTS.has(attributeOf(method, "Algorithm") ?? "")))
    throw new ExtractionError("encrypted", "The book is copy-protected. Send a copy without the protection.");
}

interface Chapter {
  /** Name of its file in the archive. */
  readonly part: string;
  readonly mimeType: string;
}

interface Book extends Pick<ExtractedContent, "title" | "author" | "date" | "metadata"> {
  readonly chapters: readonly Chapter[];
  /** Titles from the table of contents, by the file they point to. */
  readonly titles: ReadonlyMap<string, string>;
}

function readBook(zip: ZipArchive, { limits }: ExtractionTools): Book {
  const tree = (part: string): XmlElement => {
    const bytes = zip.stream(part);
    if (!bytes) throw new ExtractionError("damaged", "The book is damaged: a part that defines its order is missing.");
    return readXmlTree(bytes, limits);
  };
  const root = descendantsOf(tree("META-INF/container.xml"), "rootfile")[0];
  const packagePart = attributeOf(root, "full-path") ?? "";
  const book = tree(packagePart);
  const items = elementsOf(childOf(book, "manifest") ?? book, "item").map((item) => readItem(item, packagePart));
  const byId = new Map(items.map((item) => [item.id, item]));
  const spine = elementsOf(childOf(book, "spine") ?? book, "itemref");
  const chapters = spine.flatMap((entry) => byId.get(attributeOf(entry, "idref") ?? "") ?? []);
  if (chapters.length > limits.maximumEntries)
    throw new ExtractionError("too_large", `The book has more than ${limits.maximumEntries} chapters.`);
  const contents = items.find(({ isContents }) => isContents);
  return {
    ...bookProperties(childOf(book, "metadata") ?? book),
    chapters: chapters.filter(({ isContents, mimeType }) => !isContents && /html|xml$/.test(mimeType)),
    titles: contents ? readTitles(contents.part, tree) : new Map(),
  };
}

interface Item extends Chapter {
  readonly id: string;
  readonly isContents: boolean;
}

function readItem(item: XmlElement, packagePart: string): Item {
  const mimeType = (attributeOf(item, "media-type") ?? "").toLowerCase();
  const isNavigation = (attributeOf(item, "properties") ?? "").split(/\s+/).includes("nav");
  return {
    id: attributeOf(item, "id") ?? "",
    part: partAt(attributeOf(item, "href") ?? "", packagePart),
    mimeType,
    isContents: isNavigation || mimeType === "application/x-dtbncx+xml",
  };
}

/** The file that an address in another file points to. */
function partAt(address: string, from: string): string {
  const path = address.split("#")[0] ?? "";
  return posix.join(posix.dirname(from), decoded(path));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function bookProperties(metadata: XmlElement): Pick<Book, "title" | "author" | "date" | "metadata"> {
  const values = (name: string) =>
    elementsOf(metadata, name).flatMap((entry) => singleSpaced(elementText(entry)) || []);
  const date = values("date")[0] ?? null;
  const known = { language: values("language")[0], publisher: values("publisher")[0] };
  const written = Object.entries(known).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    title: values("title")[0] ?? null,
    author: values("creator").join(", ") || null,
    date: date !== null && Number.isNaN(Date.parse(date)) ? null : date,
    metadata: Object.fromEntries(written),
  };
}

/** An unreadable table of contents costs only the titles. */
function readTitles(part: string, tree: (part: string) => XmlElement): ReadonlyMap<string, string> {
  const titles = new Map<string, string>();
  const keep = (address: string | undefined, title: string) => {
    const target = partAt(address ?? "", part);
    if (address !== undefined && title !== "" && !titles.has(target)) titles.set(target, title);
  };
  const words = (element: XmlElement | undefined) => singleSpaced(elementText(element));
  try {
    const contents = tree(part);
    for (const link of descendantsOf(contents, "a")) keep(attributeOf(link, "href"), words(link));
    for (const point of descendantsOf(contents, "navPoint"))
      keep(attributeOf(childOf(point, "content"), "src"), words(childOf(point, "navLabel")));
  } catch (error) {
    if (!(error instanceof ExtractionError) || error.reason === "too_large") throw error;
  }
  return titles;
}

/** Null where the chapter cannot be read; the others are unaffected. */
async function readChapter(zip: ZipArchive, chapter: Chapter, tools: ExtractionTools): Promise<string | null> {
  try {
    const bytes = zip.read(chapter.part);
    return bytes && (await chapterText(bytes, chapter, tools));
  } catch (error) {
    if (!(error instanceof ExtractionError) || error.reason === "damaged") return null;
    if (error.reason === "empty") return "";
    throw error;
  }
}

/** A chapter is not a web page: what article extraction would leave out belongs to the book. */
async function chapterText(bytes: Uint8Array, { part, mimeType }: Chapter, tools: ExtractionTools): Promise<string> {
  if (mimeType.includes("html")) return readWholePage(decodeBytes(bytes, [declaredEncoding(bytes)]).text);
  const { parts } = await tools.extract({ bytes, name: posix.basename(part), mimeType, charset: null, url: null });
  return parts.map(({ text }) => text).join("\n\n");
}

/** Gives a chapter without a heading its title from the table of contents. */
function withTitle(text: string, title: string | undefined): string {
  const hasHeading = /^#{1,6} /.test(text.trimStart());
  return title === undefined || hasHeading || text.trim() === "" ? text : `# ${title}\n\n${text}`;
}
