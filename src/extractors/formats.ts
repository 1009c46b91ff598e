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
  csv: {
    mimeTypes: ["text/csv", "application/csv"],
    endings: ["csv"],
    load: async () => (await import("./csv.js")).extractCsv,
  },
  eml: {
    mimeTypes: ["message/rfc822"],
    endings: ["eml"],
    load: async () => (await import("./mail/mail.js")).extractMail,
  },
  ics: {
    mimeTypes: ["text/calendar"],
    endings: ["ics", "ical", "ifb"],
    load: async () => (await import("./calendar/calendar.js")).extractCalendar,
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
  mbox: {
    mimeTypes: ["application/mbox"],
    endings: ["mbox"],
    load: async () => (await import("./mail/mailbox.js")).extractMailbox,
  },
  srt: {
    mimeTypes: ["application/x-subrip", "text/srt"],
    endings: ["srt"],
    load: async () => (await import("./subtitles/subtitles.js")).extractSubtitles,
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
  xml: {
    mimeTypes: ["application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml"],
    endings: ["xml", "rss", "atom", "rdf", "opml"],
    load: async () => (await import("./data/xml.js")).extractXml,
  },
} satisfies Readonly<Record<string, Format>>;
