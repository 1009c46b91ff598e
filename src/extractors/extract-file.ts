import type { ExtractedContent, ReadingProgress, SourceFile } from "../core/documents/content-ports.js";
import { ExtractionError } from "./extraction-error.js";
import type { ExtractionLimits, ExtractionTools } from "./format-extractor.js";
import { GatheredParts } from "./gathered-parts.js";
import type { LanguageData } from "./languages.js";
import { recogniseFormat } from "./recognise-format.js";

/** Maximum nesting of files, such as an attachment of a mail attached to another mail. */
const DEEPEST_FILE = 8;

export interface ExtractionOrder {
  readonly limits: ExtractionLimits;
  readonly password: string | null;
  /** Languages of text in pictures, as tesseract names them: `eng+deu`. */
  readonly languages: string;
  readonly languageData?: LanguageData | null;
  readonly report: (progress: ReadingProgress) => void;
}

/**
 * Reads a file of any known format, including the files in it.
 * @throws ExtractionError with a message for the sender of the file; any other error stays within the extractors
 */
export function extractFile(file: SourceFile, order: ExtractionOrder): Promise<ExtractedContent> {
  return extractAt(file, order, 0);
}

async function extractAt(file: SourceFile, order: ExtractionOrder, depth: number): Promise<ExtractedContent> {
  if (file.bytes.length === 0) throw new ExtractionError("empty", "The file is empty.");
  if (depth > DEEPEST_FILE) throw new ExtractionError("too_large", "Files are nested too deeply in other files.");
  const recognised = await recogniseFormat(file);
  if (!recognised) throw new ExtractionError("unsupported", "Files of this kind are not supported.");
  const { format, note } = recognised;
  const tools: ExtractionTools = {
    ...order,
    // Only the outermost file reports progress.
    report: depth === 0 ? order.report : () => undefined,
    extract: (inner) => extractAt(inner, order, depth + 1),
    recogniseText: async (image) => (await import("./recognise-text.js")).recogniseText(image, order),
  };
  const extract = await format.load();
  const content = await extract(file, tools).catch((error: unknown) => {
    throw describe(error);
  });
  return withinLimits(note === null ? content : { ...content, notes: [note, ...content.notes] }, order.limits);
}

function describe(error: unknown): ExtractionError {
  if (error instanceof ExtractionError) return error;
  return new ExtractionError("damaged", "The file cannot be read: it is damaged, or not what its name says.");
}

/** Removes invisible characters, and text beyond the limit, which a note then mentions. */
function withinLimits(content: ExtractedContent, limits: ExtractionLimits): ExtractedContent {
  const gathered = new GatheredParts(limits);
  gathered.note(...content.notes);
  for (const { text, place } of content.parts) if (!gathered.add(text, place)) break;
  return { ...content, parts: gathered.parts, notes: gathered.notes };
}
