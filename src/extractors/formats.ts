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
  image: {
    mimeTypes: [
      "image/png",
      "image/jpeg",
      "image/gif",
      "image/webp",
      "image/tiff",
      "image/bmp",
      "image/heic",
      "image/heif",
    ],
    endings: ["png", "jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "heic", "heif"],
    load: async () => (await import("./image/image.js")).extractImage,
  },
  pdf: {
    mimeTypes: ["application/pdf", "application/x-pdf"],
    endings: ["pdf"],
    load: async () => (await import("./pdf/pdf.js")).extractPdf,
  },
  svg: {
    mimeTypes: ["image/svg+xml"],
    endings: ["svg"],
    load: async () => (await import("./image/svg.js")).extractSvg,
  },
} satisfies Readonly<Record<string, Format>>;
