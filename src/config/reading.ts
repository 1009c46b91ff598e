import { readingLanguages } from "./reading-languages.js";
import { httpUrl, setting, wholeNumber } from "./setting.js";

const GIGABYTE = 1_073_741_824;

/** The settings for reading files other than plain text. */
export const READING_SETTINGS = {
  RECOLLECT_READ_TIMEOUT_SECONDS: setting({
    schema: wholeNumber(1, 3_600),
    fallback: "120",
    description: "Maximum time for reading one file, in seconds. Only the file that takes longer fails.",
  }),
  RECOLLECT_READ_MEMORY_MEGABYTES: setting({
    schema: wholeNumber(64, 65_536),
    fallback: "768",
    description:
      "Memory for reading one file, in MB, in a separate process. Only the file that needs more fails; on Linux, another 256 MB are allowed for libraries.",
  }),
  RECOLLECT_READ_MAX_TEXT_BYTES: setting({
    schema: wholeNumber(1, GIGABYTE),
    fallback: "4194304",
    description:
      "Maximum amount of text taken from one file, in bytes; the rest is left out, and the document says so.",
  }),
  RECOLLECT_READ_MAX_PAGES: setting({
    schema: wholeNumber(1, 1_000_000),
    fallback: "2000",
    description: "Maximum number of pages, slides or sheets read from one file.",
  }),
  RECOLLECT_READ_MAX_UNPACKED_BYTES: setting({
    schema: wholeNumber(1, GIGABYTE),
    fallback: "268435456",
    description: "Maximum unpacked size of one file, such as an Office document, in bytes.",
  }),
  RECOLLECT_READ_LANGUAGES: setting({
    schema: readingLanguages,
    fallback: "eng",
    description:
      "Languages of the text in pictures and scanned pages by their tesseract names, the most common one first, such as `eng+deu`. Missing language data is fetched when first needed.",
  }),
  RECOLLECT_READ_LANGUAGES_FROM: setting({
    schema: httpUrl(),
    fallback: "https://registry.npmjs.org",
    description:
      "npm registry, or a mirror of it, from which language data is fetched: the packages `@tesseract.js-data/…`. It may be in a private network. Nothing is fetched while `RECOLLECT_OFFLINE` is set.",
  }),
};

/** Limits for reading one file. */
export interface ReadingConfig {
  readonly timeoutMs: number;
  readonly memoryMegabytes: number;
  /** Languages of the text in pictures, as tesseract names them: `eng+deu`. */
  readonly languages: string;
  /** Base URL of the npm registry that language data are fetched from. */
  readonly languagesFrom: string;
  readonly limits: {
    readonly maximumTextBytes: number;
    readonly maximumUnpackedBytes: number;
    readonly maximumEntries: number;
    readonly maximumPages: number;
    readonly maximumDepth: number;
  };
}

/** Parts of an archive, mails in a mailbox, rows of a list. */
const MOST_ENTRIES = 100_000;
const DEEPEST_ELEMENT = 256;

/** Limits from the values of the settings. */
export function readingConfig(values: {
  readonly RECOLLECT_READ_TIMEOUT_SECONDS: number;
  readonly RECOLLECT_READ_MEMORY_MEGABYTES: number;
  readonly RECOLLECT_READ_MAX_TEXT_BYTES: number;
  readonly RECOLLECT_READ_MAX_PAGES: number;
  readonly RECOLLECT_READ_MAX_UNPACKED_BYTES: number;
  readonly RECOLLECT_READ_LANGUAGES: string;
  readonly RECOLLECT_READ_LANGUAGES_FROM: string;
}): ReadingConfig {
  return {
    timeoutMs: values.RECOLLECT_READ_TIMEOUT_SECONDS * 1_000,
    memoryMegabytes: values.RECOLLECT_READ_MEMORY_MEGABYTES,
    languages: values.RECOLLECT_READ_LANGUAGES,
    languagesFrom: values.RECOLLECT_READ_LANGUAGES_FROM,
    limits: {
      maximumTextBytes: values.RECOLLECT_READ_MAX_TEXT_BYTES,
      maximumUnpackedBytes: values.RECOLLECT_READ_MAX_UNPACKED_BYTES,
      maximumEntries: MOST_ENTRIES,
      maximumPages: values.RECOLLECT_READ_MAX_PAGES,
      maximumDepth: DEEPEST_ELEMENT,
    },
  };
}
