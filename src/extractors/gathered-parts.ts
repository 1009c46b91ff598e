import type { ContentPart, ExtractedContent, Place } from "../core/documents/content-ports.js";
import { truncate } from "../lib/truncate.js";
import { cleanText } from "./clean-text.js";
import { extracted } from "./extracted.js";
import { ExtractionError } from "./extraction-error.js";
import { firstHeading, givenTitle } from "./own-title.js";
import type { ExtractionLimits } from "./format-extractor.js";

/** What a file says about itself beside its text. */
type About = Partial<Omit<ExtractedContent, "type" | "parts" | "notes">>;

/** The parts of a file as they are read, cleaned, up to the limit of text, and what a reader should know of them. */
export class GatheredParts {
  readonly parts: ContentPart[] = [];
  readonly #notes = new Set<string>();
  readonly #maximumBytes: number;
  #bytes = 0;
  #isFull = false;

  constructor({ maximumTextBytes }: Pick<ExtractionLimits, "maximumTextBytes">) {
    this.#maximumBytes = maximumTextBytes;
  }

  /** Whether something was left out; nothing more is taken then. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Bytes that may still come. */
  get room(): number {
    return this.#isFull ? 0 : this.#maximumBytes - this.#bytes;
  }

  /** Takes a part, if it says anything, or as much of it as there is room for. @returns false once nothing more is taken */
  add(text: string, place: Place = {}): boolean {
    const cleaned = cleanText(text).trim();
    if (this.#isFull || cleaned === "") return !this.#isFull;
    const fitting = fit(cleaned, this.room);
    this.#isFull = fitting.length < cleaned.length;
    this.#bytes += Buffer.byteLength(fitting);
    if (fitting !== "") this.parts.push({ text: fitting, place });
    return !this.#isFull;
  }

  /** Takes sentences for the reader of the document; the same one only once. */
  note(...sentences: readonly string[]): void {
    for (const sentence of sentences) this.#notes.add(sentence);
  }

  /** What was noted, and that text is missing where some is. */
  get notes(): string[] {
    const cut = `The text is longer than ${this.#maximumBytes.toLocaleString("en")} bytes; the rest was left out (RECOLLECT_READ_MAX_TEXT_BYTES).`;
    return [...new Set([...this.#notes, ...(this.#isFull ? [cut] : [])])];
  }

  /** What the file is called: as it says where that says something, else by the first heading of what was gathered. */
  titled(said: string | null): string | null {
    return givenTitle(said) ?? firstHeading(this.parts);
  }

  /**
   * What was gathered, as what a file holds.
   * @param whenEmpty what to tell whoever sent a file without any text
   * @throws ExtractionError `empty` when nothing was gathered
   */
  content(type: string, about: About = {}, whenEmpty = "The file holds no text."): ExtractedContent {
    if (this.parts.length === 0) throw new ExtractionError("empty", whenEmpty);
    return { ...extracted(type, this.parts, about), notes: this.notes };
  }
}

/** The beginning of a text that takes at most so many bytes of UTF-8. */
function fit(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  if (bytes < 1) return "";
  const most = new TextDecoder().decode(Buffer.from(text.slice(0, bytes)).subarray(0, bytes)).length - 1;
  return most < 1 ? "" : truncate(text, most);
}
