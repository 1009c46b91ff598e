import type { ContentPart, ExtractedContent, Place } from "../core/documents/content-ports.js";
import { cleanText } from "./decode-bytes.js";
import { extracted } from "./extracted.js";
import { ExtractionError } from "./extraction-error.js";
import type { ExtractionLimits } from "./format-extractor.js";

/** Takes parts up to the longest text that may come out. */
export interface PartCollector {
  /** Takes the next part, cut to what is left; parts without words are passed over. False when there is no room for more. */
  add(text: string, place?: Place): boolean;
  /** Takes a sentence for the reader of the document; the same one only once. */
  note(sentence: string): void;
  /** What was taken. @throws ExtractionError `empty` when nothing was */
  content(type: string, known?: Partial<Omit<ExtractedContent, "type" | "parts" | "notes">>): ExtractedContent;
}

export function collectParts({ maximumTextBytes }: Pick<ExtractionLimits, "maximumTextBytes">): PartCollector {
  const parts: ContentPart[] = [];
  const notes = new Set<string>();
  let left = maximumTextBytes;
  return {
    add(text, place = {}) {
      const clean = cleanText(text).trim();
      if (clean === "" || left <= 0) return left > 0;
      const bytes = Buffer.byteLength(clean);
      const kept = bytes <= left ? clean : firstBytes(clean, left);
      if (bytes > left) notes.add(`The text is longer than ${maximumTextBytes} bytes; what is beyond was left out.`);
      if (kept !== "") parts.push({ text: kept, place });
      left -= bytes;
      return left > 0;
    },
    note: (sentence) => void notes.add(sentence),
    content(type, known = {}) {
      if (parts.length === 0) throw new ExtractionError("empty", "The file holds no text.");
      return { ...extracted(type, parts, known), notes: [...notes] };
    },
  };
}

/** As many whole characters as fit. */
function firstBytes(text: string, limit: number): string {
  const decoder = new TextDecoder("utf-8");
  // A character that was cut is not given out before its other bytes come.
  return decoder.decode(Buffer.from(text.slice(0, limit)).subarray(0, limit), { stream: true });
}
