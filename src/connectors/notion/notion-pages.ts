import * as z from "zod";
import { AppError } from "../../core/errors.js";
import type { SourceAccess, SourceChange } from "../../core/ports.js";

const LONGEST_VALUE = 500;
const LONGEST_FIELDS = 16_000;
const DEEPEST = 4;

export const richTextSchema = z.array(z.object({ plain_text: z.string().default("") }));
const pageSchema = z.object({
  id: z.string(),
  last_edited_time: z.string(),
  url: z.string().nullish(),
  in_trash: z.boolean().default(false),
  properties: z.record(z.string(), z.looseObject({ type: z.string() })).default({}),
});
type Page = z.output<typeof pageSchema>;
/** What the lists already say about a page, so that it need not be requested. */
export const detailSchema = z.object({ edited: z.string(), fields: z.array(z.string()) });

/** The changes in a list of pages. @throws AppError `forbidden` where an integration sees pages but may not read them */
export async function changesOfPages(
  results: readonly unknown[],
  known: SourceAccess["known"],
): Promise<SourceChange[]> {
  const changes: SourceChange[] = [];
  for (const result of results) {
    if (z.object({ object: z.literal("page") }).safeParse(result).success) changes.push(await changeOf(result, known));
  }
  return changes;
}

async function changeOf(result: unknown, known: SourceAccess["known"]): Promise<SourceChange> {
  const read = pageSchema.safeParse(result);
  if (!read.success)
    throw new AppError(
      "forbidden",
      "Notion lists pages without any details. Give the integration the capability to read content.",
    );
  const page = read.data;
  if (page.in_trash) return { kind: "remove", id: page.id };
  const { id, last_edited_time: edited, url } = page;
  const version = versionOf(edited, (await known(id))?.version ?? null);
  const detail: z.output<typeof detailSchema> = { edited, fields: fieldsOf(page) };
  return { kind: "upsert", item: { id, version, title: titleOf(page), address: url ?? null, path: null, detail } };
}

/** Notion rounds edit times to the minute: what was read within that minute may have been edited again. */
const MINUTE_MS = 60_000;
const READ_EARLY = "?";
const READ_AGAIN = "!";

/** The version of a page that was read so soon after its edit that it must be read again; undefined for others. */
export function earlyVersion(edited: string, now: Date): string | undefined {
  return now.getTime() - Date.parse(edited) < 2 * MINUTE_MS ? `${edited}${READ_EARLY}${now.toISOString()}` : undefined;
}

function versionOf(edited: string, known: string | null): string {
  if (known === null || !known.startsWith(edited)) return edited;
  const mark = known.slice(edited.length);
  return mark.startsWith(READ_EARLY) ? `${edited}${READ_AGAIN}${mark.slice(1)}` : known;
}

function titleOf({ properties }: Page): string | null {
  const title = Object.values(properties).find(({ type }) => type === "title");
  const text = plainTextOf(title?.["title"]);
  return text === "" ? null : text;
}

/** The fields of a database row, as lines; values without a plain form are left out. */
function fieldsOf({ properties }: Page): string[] {
  let left = LONGEST_FIELDS;
  return Object.entries(properties).flatMap(([name, property]) => {
    const value = property.type === "title" ? "" : valueOf(property[property.type], DEEPEST);
    const line = `- ${name}: ${value.slice(0, LONGEST_VALUE)}`;
    left -= line.length;
    return value === "" || left < 0 ? [] : [line];
  });
}

const named = z.object({
  name: z.string().optional(),
  start: z.string().optional(),
  end: z.string().nullish(),
  prefix: z.string().nullish(),
  number: z.number().nullish(),
  type: z.string().optional(),
});

function valueOf(value: unknown, depth: number): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return plainTextOf(value) || joined(value.map((one) => valueOf(one, depth)));
  const read = z.looseObject(named.shape).safeParse(value).data;
  if (read === undefined || depth === 0) return "";
  const { name, start, end, prefix, number, type } = read;
  if (name !== undefined) return name;
  if (start !== undefined) return end == null ? start : `${start} to ${end}`;
  if (prefix != null && number != null) return `${prefix}-${number}`;
  // A computed value states its own type.
  return valueOf(type === undefined ? number : read[type], depth - 1);
}

function joined(values: readonly string[]): string {
  return values.filter((one) => one !== "").join(", ");
}

export function plainTextOf(value: unknown): string {
  const read = richTextSchema.safeParse(value);
  return read.success
    ? read.data
        .map(({ plain_text: text }) => text)
        .join("")
        .trim()
    : "";
}
