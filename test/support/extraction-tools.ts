import type { ExtractedContent, ReadingProgress, SourceFile } from "../../src/core/documents/content-ports.js";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import type { ExtractionLimits, ExtractionTools } from "../../src/extractors/format-extractor.js";
import { FORMATS, type Format } from "../../src/extractors/formats.js";

export const USUAL_LIMITS: ExtractionLimits = {
  maximumTextBytes: 20_000_000,
  maximumUnpackedBytes: 256 * 2 ** 20,
  maximumEntries: 10_000,
  maximumPages: 5_000,
  maximumDepth: 256,
};

/** Tools that read files in files by their type or ending, and no picture; with the progress that was reported. */
export function extractionTools(
  changes: Partial<Omit<ExtractionTools, "limits">> & { readonly limits?: Partial<ExtractionLimits> } = {},
): ExtractionTools & { readonly progress: readonly ReadingProgress[] } {
  const progress: ReadingProgress[] = [];
  const tools: ExtractionTools = {
    password: null,
    report: (reached) => progress.push(reached),
    extract: (file) => extractByLabel(file, tools),
    recogniseText: () => Promise.reject(new ExtractionError("missing_program", "No program reads pictures here.")),
    ...changes,
    limits: { ...USUAL_LIMITS, ...changes.limits },
  };
  return { ...tools, progress };
}

async function extractByLabel(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const ending = file.name?.split(".").at(-1)?.toLowerCase() ?? "";
  const formats: readonly Format[] = Object.values(FORMATS);
  const found = formats.find(
    ({ mimeTypes, endings }) => mimeTypes.includes(file.mimeType ?? "") || endings.includes(ending),
  );
  if (!found) throw new ExtractionError("unsupported", "No format of this kind is read.");
  const extract = await found.load();
  return extract(file, tools);
}

/** A file with nothing known of it but this, or its name. */
export function sourceFile(bytes: Uint8Array, known: Partial<SourceFile> | string = {}): SourceFile {
  const said = typeof known === "string" ? { name: known } : known;
  return { name: null, mimeType: null, charset: null, url: null, ...said, bytes };
}
