import type { ExtractedContent, ReadingProgress, SourceFile } from "../core/documents/content-ports.js";

/** Limits on reading one file, whatever it claims to be. */
export interface ExtractionLimits {
  /** Maximum UTF-8 size of the extracted text, in bytes. The rest is left out, with a note. */
  readonly maximumTextBytes: number;
  /** Maximum unpacked size of an archive, in bytes, over all entries. */
  readonly maximumUnpackedBytes: number;
  /** Maximum number of entries of an archive, messages of a mailbox, or rows of a list. */
  readonly maximumEntries: number;
  readonly maximumPages: number;
  /** Maximum nesting of files in files, and of elements in elements. */
  readonly maximumDepth: number;
}

/** What an extractor may use besides the file itself. It reads no other file and fetches nothing. */
export interface ExtractionTools {
  readonly limits: ExtractionLimits;
  readonly password: string | null;
  report(progress: ReadingProgress): void;
  /** Reads a file inside this one, such as the HTML of a mail. @throws ExtractionError as the extractor of its format */
  extract(file: SourceFile): Promise<ExtractedContent>;
  /**
   * The text in a picture (PNG, JPEG and other common formats). @throws ExtractionError `missing_program` where nothing can read
   * it
   */
  recogniseText(image: Uint8Array): Promise<string>;
}

/**
 * Converts the bytes of one format into text with places.
 * @throws ExtractionError that says what is wrong with the file; any other error means that the file is damaged
 */
export type FormatExtractor = (file: SourceFile, tools: ExtractionTools) => Promise<ExtractedContent>;
