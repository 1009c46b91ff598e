import * as z from "zod";
import { ItemGone } from "../core/connections/connector-errors.js";
import { AppError } from "../core/errors.js";
import type { ChangePage, Connector, SourceAccess, SourceAnswer, SourceChange, SourceItem } from "../core/ports.js";

const VERSION = "2025-09-03";
const PAGE = 100;
/** Parts of a long page that come one by one. */
const MOST_PARTS = 200;
const LONGEST_VALUE = 500;

const fieldsSchema = z.object({ token: z.string().trim().min(1, "must be a token of Notion").max(1_000).optional() });
const checkpointSchema = z.object({ cursor: z.string() });

const richText = z.array(z.object({ plain_text: z.string().default("") }));
const pageSchema = z.object({
  object: z.literal("page"),
  id: z.string(),
  last_edited_time: z.string(),
  url: z.string().nullish(),
  in_trash: z.boolean().default(false),
  properties: z.record(z.string(), z.looseObject({ type: z.string() })).default({}),
});
type Page = z.output<typeof pageSchema>;
const searchSchema = z.object({
  results: z.array(z.unknown()),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});
const markdownSchema = z.object({
  markdown: z.string(),
  unknown_block_ids: z.array(z.string()).default([]),
});
const userSchema = z.object({
  name: z.string().nullish(),
  bot: z.object({ workspace_name: z.string().nullish() }).nullish(),
});

/**
 * The pages that an integration of Notion was given (developers.notion.com). Its search has no feed of changes: each run
 * lists all of them, newest first, and reads those that were edited. The list lags, so a page has to be missing twice.
 */
export function createNotionConnector({ apiUrl = "https://api.notion.com" }: { readonly apiUrl?: string }): Connector {
  const ask = (access: SourceAccess, path: string, more: { body?: unknown; accepts?: readonly number[] } = {}) =>
    access.request({ url: `${apiUrl}/v1${path}`, headers: { "notion-version": VERSION }, ...more });

  async function* list(access: SourceAccess, from: string | null): AsyncIterable<ChangePage> {
    for (let cursor = from; ;) {
      const body = {
        filter: { property: "object", value: "page" },
        sort: { timestamp: "last_edited_time", direction: "descending" },
        page_size: PAGE,
        ...(cursor !== null && { start_cursor: cursor }),
      };
      const found = parsed(await ask(access, "/search", { body }), searchSchema);
      const pages = found.results.flatMap((result) => pageSchema.safeParse(result).data ?? []);
      const isFirst = cursor === null;
      const isLast = !found.has_more || found.next_cursor === null || found.next_cursor === cursor;
      cursor = found.next_cursor;
      yield { kind: "listing", isFirst, isLast, items: pages.map(changeOf), checkpoint: isLast ? null : { cursor } };
      if (isLast) return;
    }
  }

  async function markdownOf(access: SourceAccess, id: string): Promise<string> {
    const parts: string[] = [];
    const waiting = [id];
    const seen = new Set<string>();
    while (waiting.length > 0 && seen.size < MOST_PARTS) {
      const next = waiting.shift() ?? "";
      if (seen.has(next)) continue;
      seen.add(next);
      const answer = await ask(access, `/pages/${next}/markdown`, { accepts: [404] });
      if (answer.status === 404) {
        if (next === id) throw new ItemGone();
        continue;
      }
      const { markdown, unknown_block_ids: rest } = parsed(answer, markdownSchema);
      parts.push(markdown);
      // What a long page leaves out is asked for by the ids of its blocks.
      waiting.push(...rest);
    }
    return parts.join("\n\n");
  }

  return {
    provider: "notion",
    title: "Notion",
    signIn: {
      kind: "oauth",
      authorizeUrl: `${apiUrl}/v1/oauth/authorize`,
      tokenUrl: `${apiUrl}/v1/oauth/token`,
      scopes: [],
      parameters: { owner: "user" },
      clientAuthentication: "basic",
      asksInJson: true,
      application: "notion",
      tokenField: "token",
    },
    fields: fieldsSchema,
    secretFields: ["token"],
    sync: { everyMinutes: 240, absences: 2, readsAtOnce: 1 },
    async check(access) {
      const { name, bot } = parsed(await ask(access, "/users/me"), userSchema);
      return { account: bot?.workspace_name ?? name ?? null };
    },
    changes: (access, checkpoint) =>
      list(access, checkpoint === null ? null : checkpointSchema.parse(checkpoint).cursor),
    async read(access, item) {
      const answer = await ask(access, `/pages/${item.id}`, { accepts: [404] });
      if (answer.status === 404) throw new ItemGone();
      const page = parsed(answer, pageSchema);
      if (page.in_trash) throw new ItemGone();
      const lines = propertyLines(page);
      const title = titleOf(page);
      const head = [...(title === null ? [] : [`# ${title}`]), ...(lines.length > 0 ? [lines.join("\n")] : [])];
      return {
        content: [...head, await markdownOf(access, item.id)].join("\n\n"),
        mimeType: "text/markdown",
        fileName: null,
        type: "notion_doc",
        title,
        changedAt: page.last_edited_time,
        metadata: page.url ? { url: page.url } : {},
        version: page.last_edited_time,
      };
    },
  };
}

function changeOf(page: Page): SourceChange {
  if (page.in_trash) return { kind: "remove", id: page.id };
  const item: SourceItem = {
    id: page.id,
    version: page.last_edited_time,
    title: titleOf(page),
    address: page.url ?? null,
    path: null,
  };
  return { kind: "upsert", item };
}

function titleOf({ properties }: Page): string | null {
  const title = Object.values(properties).find(({ type }) => type === "title");
  const text = textOf(title?.["title"]);
  return text === "" ? null : text;
}

/** The fields of a row of a database, as lines; what has no plain form is left out. */
function propertyLines({ properties }: Page): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const value = property.type === "title" ? "" : valueOf(property[property.type]);
    return value === "" ? [] : [`- ${name}: ${value.slice(0, LONGEST_VALUE)}`];
  });
}

function valueOf(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value))
    return (
      textOf(value) ||
      value
        .map(valueOf)
        .filter((one) => one !== "")
        .join(", ")
    );
  const known = z.object({ name: z.string().optional(), start: z.string().optional(), end: z.string().nullish() });
  const { name, start, end } = known.safeParse(value).data ?? {};
  return name ?? [start, end].filter((one) => one != null).join(" to ");
}

function textOf(value: unknown): string {
  const read = richText.safeParse(value);
  return read.success
    ? read.data
        .map(({ plain_text: text }) => text)
        .join("")
        .trim()
    : "";
}

function parsed<T>({ bytes, status }: SourceAnswer, schema: z.ZodType<T>): T {
  const text = Buffer.from(bytes).toString("utf8");
  const read = schema.safeParse(jsonOf(text));
  if (read.success) return read.data;
  throw new AppError("unavailable", `Notion answered with something else than was asked for (status ${status}).`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
