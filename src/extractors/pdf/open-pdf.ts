import { givenTitle } from "../own-title.js";
import type { getDocumentProxy } from "unpdf";
import { ExtractionError } from "../extraction-error.js";
import type { OutlineEntry } from "./headings.js";

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
export type PdfPage = Awaited<ReturnType<Pdf["getPage"]>>;

/** Larger pictures are left out: an A4 page at 600 dots per inch has 35 million pixels. */
const MAXIMUM_PIXELS = 50_000_000;
const MAXIMUM_OUTLINE_ENTRIES = 5_000;

/** Opens a PDF. @throws ExtractionError if it is encrypted or damaged */
export async function openPdf(bytes: Uint8Array, password: string | null): Promise<Pdf> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    // The library detaches the buffer it is given.
    return await getDocumentProxy(new Uint8Array(bytes), {
      ...(password === null ? {} : { password }),
      verbosity: 0,
      maxImageSize: MAXIMUM_PIXELS,
      disableFontFace: true,
      stopAtErrors: false,
    });
  } catch (error) {
    throw refusal(error, password);
  }
}

function refusal(error: unknown, password: string | null): ExtractionError {
  const name = error instanceof Error ? error.name : "";
  if (name !== "PasswordException")
    return new ExtractionError("damaged", "The PDF is damaged and cannot be opened. Save or export it again.");
  const message =
    password === null
      ? "The PDF is encrypted. Send its password in the field `password` of the request, or with `recollect add FILE --password-file PATH`."
      : "The password does not open this PDF. Send the correct one in the field `password` of the request, or with `recollect add FILE --password-file PATH`.";
  return new ExtractionError("encrypted", message);
}

/** Metadata of a PDF. */
export interface PdfTraits {
  readonly title: string | null;
  readonly author: string | null;
  /** ISO date-time of its creation. */
  readonly date: string | null;
  readonly hasForm: boolean;
}

/** Metadata from the information dictionary of a PDF, otherwise from its XMP; empty where they are damaged. */
export async function traitsOf(pdf: Pdf): Promise<PdfTraits> {
  try {
    const { info, metadata } = await pdf.getMetadata();
    const said = new Map(Object.entries(info));
    const more = (name: string): unknown => (metadata ? metadata.get(name) : null);
    return {
      title: givenTitle(textOf(said.get("Title"))) ?? givenTitle(textOf(more("dc:title"))),
      author: textOf(said.get("Author")) ?? textOf(more("dc:creator")),
      date: isoDate(said.get("CreationDate")),
      hasForm: said.get("IsAcroFormPresent") === true,
    };
  } catch {
    return { title: null, author: null, date: null, hasForm: false };
  }
}

function textOf(value: unknown): string | null {
  const text = Array.isArray(value) ? value.join(", ") : value;
  if (typeof text !== "string") return null;
  const shown = text
    .replace(/[\p{Cc}\p{Surrogate}]/gu, " ")
    .slice(0, 500)
    .trim();
  return shown === "" ? null : shown;
}

const PDF_DATE = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/;

function isoDate(value: unknown): string | null {
  const parts = typeof value === "string" ? PDF_DATE.exec(value) : null;
  if (!parts) return null;
  const [, year = "", month = "01", day = "01", hour = "00", minute = "00", second = "00", sign, hours, minutes] =
    parts;
  const zone = sign === undefined ? "Z" : `${sign}${hours}:${minutes ?? "00"}`;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

interface OutlineNode {
  readonly title: string;
  readonly items: readonly OutlineNode[];
}

/** The outline entries, each before its children; empty where the outline is missing or damaged. */
export async function outlineOf(pdf: Pdf): Promise<OutlineEntry[]> {
  try {
    // The library has no type for nested entries.
    const top: readonly OutlineNode[] = (await pdf.getOutline()) ?? [];
    const entries: OutlineEntry[] = [];
    const waiting = top.map((node) => ({ node, depth: 0 })).toReversed();
    for (let next = waiting.pop(); next && entries.length < MAXIMUM_OUTLINE_ENTRIES; next = waiting.pop()) {
      const { node, depth } = next;
      entries.push({ title: node.title, depth });
      for (const inner of node.items.toReversed()) waiting.push({ node: inner, depth: depth + 1 });
    }
    return entries;
  } catch {
    return [];
  }
}
