import type { FormatExtractor } from "./format-extractor.js";

/** A format that can be read. */
export interface Format {
  /** Names of the type as senders write them. */
  readonly mimeTypes: readonly string[];
  /** Endings of file names, without the dot. */
  readonly endings: readonly string[];
  /** Loads the extractor, with the library that it needs, when the first file of the format comes. */
  load(): Promise<FormatExtractor>;
}

/** Every format that is read, by name. One row a format; recognition and documentation follow from it. */
export const FORMATS = {
  docx: {
    mimeTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    endings: ["docx"],
    load: async () => (await import("./docx.js")).extractDocx,
  },
  html: {
    mimeTypes: ["text/html", "application/xhtml+xml"],
    endings: ["html", "htm", "xhtml"],
    load: async () => (await import("./html.js")).extractHtml,
  },
} satisfies Readonly<Record<string, Format>>;
