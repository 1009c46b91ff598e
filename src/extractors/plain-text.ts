import type { ExtractedContent, SourceFile } from "../core/documents/content-ports.js";
import { GatheredParts } from "./gathered-parts.js";
import { decodeBytes } from "./decode-bytes.js";
import type { ExtractionTools, FormatExtractor } from "./format-extractor.js";

/**
 * Reads a malformed file as text, so that its legible content is kept.
 * @throws ExtractionError `empty`
 */
export function plainText(file: SourceFile, why: string, { limits }: ExtractionTools): ExtractedContent {
  const gathered = new GatheredParts(limits);
  gathered.add(decodeBytes(file.bytes, [file.charset]).text);
  gathered.note(`${why} Its text was kept unchanged.`);
  return gathered.content("text");
}

/** Reads text that is labelled as something else. @throws ExtractionError `empty` */
export const extractPlainText: FormatExtractor = (file, { limits }) => {
  const gathered = new GatheredParts(limits);
  gathered.add(decodeBytes(file.bytes, [file.charset]).text);
  return Promise.resolve(gathered.content("text"));
};
