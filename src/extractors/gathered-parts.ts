import type { ContentPart, ExtractedContent, SourcePlace } from "../core/documents/content-ports.js";
import { truncate } from "../lib/truncate.js";
import { cleanText } from "./clean-text.js";
import { extracted } from "./extracted.js";
import { ExtractionError } from "./extraction-error.js";
import { firstHeading, givenTitle } from "./own-title.js";
import type { ExtractionLimits } from "./format-extractor.js";

/** Metadata of a file. */
type About = Partial<Omit<ExtractedContent, "type" | "parts" | "notes">>;

/** Collects the cleaned parts of a file, up to the text limit, and notes for the reader. */
export class GatheredParts {
  readonly parts: ContentPart[] = [];
  readonly #notes = new Set<string>();
  readonly #maximumBytes: number;
  #bytes = 0;
  #isFull = false;

  constructor({ maximumTextBytes }: Pick<ExtractionLimits, "maximumTextBytes">) {
    this.#maximumBytes = maximumTextBytes;
  }

  /** Whether something was left out; nothing more is accepted then. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Remaining bytes. */
  get room(): number {
    return this.#isFull ? 0 : this.#maximumBytes - this.#bytes;
  }

  /** Adds a part unless it is blank, or as much of it as fits. @returns false once nothing more is accepted */
  add(text: string, place: SourcePlace = {}): boolean {
    const cleaned = cleanText(text).trim();
    if (this.#isFull || cleaned === "") return !this.#isFull;
    const fitting = fit(cleaned, this.room);
    this.#isFull = fitting.length < cleaned.length;
    this.#bytes += Buffer.byteLength(fitting);
    if (fitting !== "") this.parts.push({ text: fitting, place });
    return !this.#isFull;
  }

  /** Adds notes for the reader of the document, without duplicates. */
  note(...sentences: readonly string[]): void {
    for (const sentence of sentences) this.#notes.add(sentence);
  }

  /** The notes, including one about missing text where some was left out. */
  get notes(): string[] {
    const cut = `The text is longer than ${this.#maximumBytes.toLocaleString("en")} bytes; the rest was left out (RECOLLECT_READ_MAX_TEXT_BYTES).`;
    return [...new Set([...this.#notes, ...(this.#isFull ? [cut] : [])])];
  }

  /** The title of the file: the declared one if it is meaningful, otherwise the first heading in the text. */
  titled(said: string | null): string | null {
    return givenTitle(said) ?? firstHeading(this.parts);
  }

  /**
   * The gathered content as the result for the file.
   * @param whenEmpty message for the sender of a file without text
   * @throws ExtractionError `empty` when nothing was gathered
   */
  content(type: string, about: About = {}, whenEmpty = "The file contains no text."): ExtractedContent {
    if (this.parts.length === 0) throw new ExtractionError("empty", whenEmpty);
    return { ...extracted(type, this.parts, about), notes: this.notes };
  }
}

/** The longest beginning of a text that fits into this many bytes of UTF-8. */
function fit(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  if (bytes < 1) return "";
  const most = new TextDecoder().decode(Buffer.from(text.slice(0, bytes)).subarray(0, bytes)).length - 1;
  return most < 1 ? "" : truncate(text, most);
}
