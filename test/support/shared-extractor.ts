import type { Log } from "../../src/core/ports.js";
import type { ContentExtractor } from "../../src/core/documents/content-ports.js";
import { createExtractionProcess, type ExtractionProcessOptions } from "../../src/extractors/extraction-process.js";

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

type Reading = Omit<ExtractionProcessOptions, "log" | "languageSource">;

const shared = new Map<string, ContentExtractor>();

/**
 * An extractor with these settings, shared by all tests of this process: it keeps nothing of a file, and starting another
 * costs more than many a test. Closing it has no effect; its process ends with this one.
 */
export function sharedExtractor({ limits, timeoutMs, memoryMegabytes, languages, programFolders }: Reading) {
  const options = { limits, timeoutMs, memoryMegabytes, languages, programFolders };
  const key = JSON.stringify(options);
  const known = shared.get(key);
  if (known) return known;
  const extractor = createExtractionProcess({ ...options, log: silentLog });
  const made: ContentExtractor = { ...extractor, close: () => Promise.resolve() };
  shared.set(key, made);
  return made;
}
