import { parse } from "yaml";
import * as z from "zod";
import { parseIso } from "../lib/time.js";
import { cleanText } from "./clean-text.js";
import { decodeBytes } from "./decode-bytes.js";
import type { FormatExtractor } from "./format-extractor.js";
import { splitFrontMatter } from "../lib/front-matter.js";
import { GatheredParts } from "./gathered-parts.js";
import { singleSpaced } from "../lib/single-spaced.js";

const LONGEST_VALUE = 500;
const MOST_VALUES = 100;

/**
 * Reads Markdown as it stands, with title, author, date and tags from its front matter (YAML between `---` lines at the
 * beginning).
 * @throws ExtractionError `empty`
 */
export const extractMarkdown: FormatExtractor = (file, { limits }) => {
  const { text } = decodeBytes(file.bytes, [file.charset]);
  const gathered = new GatheredParts(limits);
  gathered.add(text);
  const fields = readFields(text);
  if (fields === null) gathered.note("Its front matter is not well-formed YAML and was kept as text.");
  const { title, author, authors, date, tags } = fields ?? NO_FIELDS;
  const about = {
    title: title[0] ?? null,
    author: [...author, ...authors].join(", ") || null,
    date: isoOf(date[0] ?? ""),
    ...(tags.length > 0 && { metadata: { tags } }),
  };
  return Promise.resolve(gathered.content("text", about));
};

const named = z.object({ name: z.string() }).transform(({ name }) => name);
const value = z
  .union([z.string(), z.number().transform(String), named])
  .transform((one) => singleSpaced(cleanText(one)).slice(0, LONGEST_VALUE));
/** Accepts one value or several, ignoring anything else. */
const values = z
  .preprocess((one) => (Array.isArray(one) ? one.slice(0, MOST_VALUES) : [one]), z.array(value.catch("")))
  .transform((all) => all.filter((one) => one !== ""));
const fieldsSchema = z.object({ title: values, author: values, authors: values, date: values, tags: values });
type Fields = z.output<typeof fieldsSchema>;

const NO_FIELDS: Fields = { title: [], author: [], authors: [], date: [], tags: [] };

/** Null if it is not valid YAML. */
function readFields(text: string): Fields | null {
  const { frontMatter } = splitFrontMatter(text.trimStart());
  if (frontMatter === null) return NO_FIELDS;
  try {
    // The core schema keeps dates as written; aliases do not belong in front matter.
    const fields: unknown = parse(frontMatter, {
      schema: "core",
      maxAliasCount: 0,
      logLevel: "error",
    });
    return fieldsSchema.safeParse(fields).data ?? NO_FIELDS;
  } catch {
    return null;
  }
}

/** Also accepts `2024-05-06 07:08:09 +0200`, which some site generators write. */
function isoOf(written: string): string | null {
  const text = written.replace(/ +(?=[+-]\d\d:?\d\d$)/, "");
  return parseIso(text) === null ? null : text;
}
