import type { ExtractedContent, ReadingProgress, SourceFile } from "../core/documents/content-ports.js";

/** Bounds of reading one file, whatever it claims to be. */
export interface ExtractionLimits {
  /** Bytes of text that come out, in UTF-8. What is beyond is left out, with a note. */
  readonly maximumTextBytes: number;
  /** Bytes that an archive may unpack to, all entries together. */
  readonly maximumUnpackedBytes: number;
  /** Entries of an archive, messages of a mailbox, rows of a list. */
  readonly maximumEntries: number;
  readonly maximumPages: number;
  /** How deep files may lie in files, and elements in elements. */
  readonly maximumDepth: number;
}

/** What an extractor may use beside the file itself. It reads no other file, and fetches nothing. */
export interface ExtractionTools {
  readonly limits: ExtractionLimits;
  readonly password: string | null;
  report(progress: ReadingProgress): void;
  /** Reads a file that lies in this one, such as the HTML of a mail. @throws ExtractionError as the extractor of its format */
  extract(file: SourceFile): Promise<ExtractedContent>;
  /** The text in a picture (PNG, JPEG and other usual formats). @throws ExtractionError `missing_program` where nothing can read it */
  recognizeText(image: Uint8Array): Promise<string>;
}

/**
 * Turns the bytes of one format into text with places.
 * @throws ExtractionError that says what is wrong with the file; any other error means that the file is damaged
 */
export type FormatExtractor = (file: SourceFile, tools: ExtractionTools) => Promise<ExtractedContent>;
