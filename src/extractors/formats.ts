import { MEDIA_ENDINGS } from "../lib/media-endings.js";
import type { FormatExtractor } from "./format-extractor.js";

/** A supported format. */
export interface Format {
  /** MIME types that senders use for it. */
  readonly mimeTypes: readonly string[];
  /** File name extensions, without the dot. */
  readonly endings: readonly string[];
  /** Set if its files are never human-readable text. */
  readonly isBinary?: true;
  /** Loads the extractor and its library when the first file of the format arrives. */
  load(): Promise<FormatExtractor>;
}

/** Every supported format, by name, one row each; recognition and documentation are derived from this. */
export const FORMATS = {
  csv: {
    mimeTypes: ["text/csv", "application/csv"],
    endings: ["csv"],
    load: async () => (await import("./csv.js")).extractCsv,
  },
  docx: {
    mimeTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    endings: ["docx"],
    isBinary: true,
    load: async () => (await import("./docx.js")).extractDocx,
  },
  eml: {
    mimeTypes: ["message/rfc822"],
    endings: ["eml"],
    load: async () => (await import("./mail/mail.js")).extractMail,
  },
  epub: {
    mimeTypes: ["application/epub+zip"],
    endings: ["epub"],
    isBinary: true,
    load: async () => (await import("./epub.js")).extractEpub,
  },
  html: {
    mimeTypes: ["text/html", "application/xhtml+xml"],
    endings: ["html", "htm", "xhtml"],
    load: async () => (await import("./html.js")).extractHtml,
  },
  ics: {
    mimeTypes: ["text/calendar"],
    endings: ["ics", "ical", "ifb"],
    load: async () => (await import("./calendar/calendar.js")).extractCalendar,
  },
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
    isBinary: true,
    load: async () => (await import("./image/image.js")).extractImage,
  },
  json: {
    mimeTypes: ["application/json", "text/json"],
    endings: ["json", "geojson"],
    load: async () => (await import("./data/json.js")).extractJson,
  },
  jsonl: {
    mimeTypes: ["application/jsonl", "application/x-ndjson", "application/ndjson"],
    endings: ["jsonl", "ndjson"],
    load: async () => (await import("./data/json.js")).extractJsonLines,
  },
  /** Only with front matter: any other Markdown is plain text. */
  markdown: {
    mimeTypes: ["text/markdown", "text/x-markdown"],
    endings: ["md", "markdown", "mdx"],
    load: async () => (await import("./markdown.js")).extractMarkdown,
  },
  mbox: {
    mimeTypes: ["application/mbox"],
    endings: ["mbox"],
    load: async () => (await import("./mail/mailbox.js")).extractMailbox,
  },
  media: {
    mimeTypes: [
      "audio/mpeg",
      "audio/mp3",
      "audio/wav",
      "audio/x-wav",
      "audio/vnd.wave",
      "audio/mp4",
      "audio/x-m4a",
      "audio/m4a",
      "audio/ogg",
      "audio/opus",
      "audio/flac",
      "audio/x-flac",
      "audio/aac",
      "audio/webm",
      "audio/matroska",
      "audio/x-matroska",
      "video/mp4",
      "video/x-m4v",
      "video/quicktime",
      "video/webm",
      "video/matroska",
      "video/x-matroska",
      "video/vnd.avi",
      "video/x-msvideo",
      "video/avi",
      "video/ogg",
      "video/3gpp",
      "video/3gpp2",
    ],
    endings: MEDIA_ENDINGS,
    isBinary: true,
    load: async () => (await import("./media/media.js")).extractMedia,
  },
  odp: {
    mimeTypes: [
      "application/vnd.oasis.opendocument.presentation",
      "application/vnd.oasis.opendocument.presentation-template",
    ],
    endings: ["odp", "otp"],
    isBinary: true,
    load: async () => (await import("./open-document/odp.js")).extractOdp,
  },
  ods: {
    mimeTypes: [
      "application/vnd.oasis.opendocument.spreadsheet",
      "application/vnd.oasis.opendocument.spreadsheet-template",
    ],
    endings: ["ods", "ots"],
    isBinary: true,
    load: async () => (await import("./open-document/ods.js")).extractOds,
  },
  odt: {
    mimeTypes: ["application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text-template"],
    endings: ["odt", "ott"],
    isBinary: true,
    load: async () => (await import("./open-document/odt.js")).extractOdt,
  },
  pdf: {
    mimeTypes: ["application/pdf", "application/x-pdf"],
    endings: ["pdf"],
    isBinary: true,
    load: async () => (await import("./pdf/pdf.js")).extractPdf,
  },
  pptx: {
    mimeTypes: [
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
      "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    ],
    endings: ["pptx", "ppsx", "pptm"],
    isBinary: true,
    load: async () => (await import("./open-xml/pptx.js")).extractPptx,
  },
  rtf: {
    mimeTypes: ["application/rtf", "text/rtf", "application/x-rtf"],
    endings: ["rtf"],
    load: async () => (await import("./rich-text/rtf.js")).extractRtf,
  },
  srt: {
    mimeTypes: ["application/x-subrip", "text/srt"],
    endings: ["srt"],
    load: async () => (await import("./subtitles/subtitles.js")).extractSubtitles,
  },
  svg: {
    mimeTypes: ["image/svg+xml"],
    endings: ["svg"],
    load: async () => (await import("./image/svg.js")).extractSvg,
  },
  tsv: {
    mimeTypes: ["text/tab-separated-values"],
    endings: ["tsv", "tab"],
    load: async () => (await import("./csv.js")).extractCsv,
  },
  vtt: {
    mimeTypes: ["text/vtt"],
    endings: ["vtt"],
    load: async () => (await import("./subtitles/subtitles.js")).extractSubtitles,
  },
  xlsx: {
    mimeTypes: [
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
      "application/vnd.ms-excel.sheet.macroenabled.12",
    ],
    endings: ["xlsx", "xltx", "xlsm"],
    isBinary: true,
    load: async () => (await import("./open-xml/xlsx.js")).extractXlsx,
  },
  xml: {
    mimeTypes: ["application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml"],
    endings: ["xml", "rss", "atom", "rdf", "opml"],
    load: async () => (await import("./data/xml.js")).extractXml,
  },
} satisfies Readonly<Record<string, Format>>;
