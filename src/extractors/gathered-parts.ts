import type { ContentPart, Place } from "../core/documents/content-ports.js";
import { truncate } from "../lib/truncate.js";
import { cleanText } from "./clean-text.js";
import type { ExtractionLimits } from "./format-extractor.js";

/** The parts of a file as they are read, cleaned, up to the limit of text. */
export class GatheredParts {
  readonly parts: ContentPart[] = [];
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

  /** Takes a part, if it says anything, or as much of it as there is room for. */
  add(text: string, place: Place): void {
    const cleaned = cleanText(text).trim();
    if (this.#isFull || cleaned === "") return;
    const room = this.#maximumBytes - this.#bytes;
    const fitting = fit(cleaned, room);
    this.#isFull = fitting.length < cleaned.length;
    this.#bytes += Buffer.byteLength(fitting);
    if (fitting !== "") this.parts.push({ text: fitting, place });
  }

  /** What a reader should know of what is missing. */
  get notes(): string[] {
    if (!this.#isFull) return [];
    return [`Text beyond ${this.#maximumBytes.toLocaleString("en")} bytes was left out.`];
  }
}

/** The beginning of a text that takes at most so many bytes of UTF-8. */
function fit(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  if (bytes < 1) return "";
  const most = new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).length - 1;
  return most < 1 ? "" : truncate(text, most);
}
