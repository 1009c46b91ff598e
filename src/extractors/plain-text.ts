import type { ExtractedContent, SourceFile } from "../core/documents/content-ports.js";
import { GatheredParts } from "./gathered-parts.js";
import { decodeBytes } from "./decode-bytes.js";
import type { ExtractionTools, FormatExtractor } from "./format-extractor.js";

/**
 * The text of a file as it stands, for one that is not well-formed: what people can read in it is kept.
 * @throws ExtractionError `empty`
 */
export function plainText(file: SourceFile, why: string, { limits }: ExtractionTools): ExtractedContent {
  const gathered = new GatheredParts(limits);
  gathered.add(decodeBytes(file.bytes, [file.charset]).text);
  gathered.note(`${why} Its text was kept as it stands.`);
  return gathered.content("text");
}

/** Reads a text that is called something else. @throws ExtractionError `empty` */
export const extractPlainText: FormatExtractor = (file, { limits }) => {
  const gathered = new GatheredParts(limits);
  gathered.add(decodeBytes(file.bytes, [file.charset]).text);
  return Promise.resolve(gathered.content("text"));
};
