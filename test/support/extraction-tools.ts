import type { ExtractedContent, ReadingProgress, SourceFile } from "../../src/core/documents/content-ports.js";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import type { ExtractionTools } from "../../src/extractors/format-extractor.js";
import { FORMATS, type Format } from "../../src/extractors/formats.js";

/** What an extractor is given, with usual limits, no password, and nothing that reads pictures. */
export function extractionTools(changes: Partial<ExtractionTools> = {}): ExtractionTools & {
  readonly progress: readonly ReadingProgress[];
} {
  const progress: ReadingProgress[] = [];
  const tools: ExtractionTools = {
    limits: {
      maximumTextBytes: 10_000_000,
      maximumUnpackedBytes: 200_000_000,
      maximumEntries: 20_000,
      maximumPages: 2_000,
      maximumDepth: 64,
    },
    password: null,
    report: (reached) => progress.push(reached),
    extract: (file) => extractByLabel(file, tools),
    recognizeText: () =>
      Promise.reject(new ExtractionError("missing_program", "No program that reads pictures is installed.")),
    ...changes,
  };
  return { ...tools, progress };
}

async function extractByLabel(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const ending = file.name?.split(".").at(-1)?.toLowerCase() ?? "";
  const formats: readonly Format[] = Object.values(FORMATS);
  const format =
    formats.find(({ mimeTypes }) => file.mimeType !== null && mimeTypes.includes(file.mimeType)) ??
    formats.find(({ endings }) => endings.includes(ending));
  if (!format) throw new ExtractionError("unsupported", "This kind of file is not read.");
  const extract = await format.load();
  return extract(file, tools);
}

/** A file with nothing said about it but its name. */
export function sourceFile(bytes: Uint8Array, name: string | null = null): SourceFile {
  return { bytes, name, mimeType: null, charset: null, url: null };
}
