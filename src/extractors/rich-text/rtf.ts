import { ExtractionError } from "../extraction-error.js";
import type { FormatExtractor } from "../format-extractor.js";
import { GatheredParts } from "../gathered-parts.js";
import { RtfReader } from "./rtf-reader.js";
import { rtfTokens } from "./rtf-tokens.js";

const SIGNATURE = "{\\rtf";
/** Room for white space or a byte order mark before the signature. */
const LONGEST_BEFORE = 16;

/** Rich text: headings, lists, tables and footnotes; hidden and deleted text, pictures and objects are skipped. */
export const extractRtf: FormatExtractor = (file, { limits }) => {
  if (file.bytes.length === 0) throw new ExtractionError("empty", "The file is empty.");
  const start = Buffer.from(file.bytes.subarray(0, LONGEST_BEFORE + SIGNATURE.length)).indexOf(SIGNATURE);
  if (start < 0) throw new ExtractionError("damaged", "The file is damaged, or not an RTF document.");
  const reader = new RtfReader();
  for (const token of rtfTokens(file.bytes.subarray(start))) {
    reader.take(token);
    if (reader.depth > limits.maximumDepth)
      throw new ExtractionError("too_large", `The file has more than ${limits.maximumDepth} levels of nested groups.`);
  }
  const gathered = new GatheredParts(limits);
  gathered.add(reader.finish().join("\n\n"));
  const { title, author } = reader;
  return Promise.resolve(
    gathered.content("text", { title: gathered.titled(title), author }, "The document has no text."),
  );
};
