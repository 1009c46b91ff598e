import * as z from "zod";

const text = z.string().nullable();
const count = z.number().nonnegative();
const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** In characters; each chunk of a file repeats the place. */
const LONGEST_PLACE = 200;

const placeSchema = z.object({
  page: count.exactOptional(),
  slide: count.exactOptional(),
  sheet: z.string().max(LONGEST_PLACE).exactOptional(),
  range: z.string().max(LONGEST_PLACE).exactOptional(),
  entry: count.exactOptional(),
  time: z.tuple([count, count]).readonly().exactOptional(),
});

const contentSchema = z.object({
  type: z.string().max(100),
  title: text,
  author: text,
  date: text,
  url: text,
  image: text,
  parts: z.array(z.object({ text: z.string(), place: placeSchema })).readonly(),
  attachments: z.array(z.object({ name: text, mimeType: text, bytes })).readonly(),
  recordings: z
    .array(z.object({ bytes, start: count, end: count, mimeType: z.string(), name: z.string() }))
    .readonly()
    .exactOptional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()])),
  notes: z.array(z.string()).readonly(),
  isByStranger: z.boolean().exactOptional(),
});

const progressSchema = z.object({
  unit: z.enum(["page", "slide", "sheet", "entry", "second"]),
  done: count,
  total: count.nullable(),
});

const reasonSchema = z.enum([
  "damaged",
  "encrypted",
  "empty",
  "too_large",
  "unsupported",
  "missing_program",
  "missing_languages",
]);

/** Messages from the extraction process. It handles untrusted files, so nothing it sends is taken on trust. */
export const reportSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("progress"), progress: progressSchema }),
  z.object({ kind: z.literal("read"), content: contentSchema, residentBytes: count }),
  z.object({
    kind: z.literal("refused"),
    reason: reasonSchema,
    message: z.string().max(2_000),
    /** Languages whose data must be downloaded. */
    languages: z.array(z.string().max(50)).max(10).readonly().exactOptional(),
  }),
]);
export type ExtractionReport = z.output<typeof reportSchema>;

const limit = z.number().int().positive();

/** One file for the process to read. */
export const orderSchema = z.object({
  file: z.intersection(
    z.object({ name: text, mimeType: text, charset: text, url: text }),
    z.union([z.object({ bytes }), z.object({ path: z.string() })]),
  ),
  password: text,
  /** Languages of text in pictures, as tesseract names them. */
  languages: z.string(),
  languageData: z.object({ folder: z.string(), obstacle: text }).nullable(),
  limits: z.object({
    maximumTextBytes: limit,
    maximumUnpackedBytes: limit,
    maximumEntries: limit,
    maximumPages: limit,
    maximumDepth: limit,
  }),
});
export type ExtractionOrderMessage = z.output<typeof orderSchema>;
