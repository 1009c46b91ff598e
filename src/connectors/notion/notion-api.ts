import * as z from "zod";
import { parseAnswer } from "../../core/connections/json-answer.js";
import { requireNewPage } from "../../core/connections/require-new-page.js";
import type { SourceAccess, SourceAnswer } from "../../core/ports.js";

/** Since this version, databases have data sources (developers.notion.com/reference/versioning). */
const VERSION = "2025-09-03";
export const PAGE_SIZE = 100;

/** The address of the Notion API. */
export interface NotionApi {
  readonly url: string;
  readonly access: SourceAccess;
}

export const listSchema = z.object({
  results: z.array(z.unknown()),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

/** @throws as `SendSourceRequest` */
export function askNotion(
  { url, access }: NotionApi,
  path: string,
  ask: { readonly body?: unknown; readonly accepts?: readonly number[] } = {},
): Promise<SourceAnswer> {
  return access.request({ url: `${url}/v1${path}`, headers: { "notion-version": VERSION }, ...ask });
}

/** The content of an answer. @throws AppError `unavailable` for an answer that is not the expected JSON */
export function parseNotion<T>(answer: SourceAnswer, schema: z.ZodType<T>): T {
  return parseAnswer(answer, schema, "Notion");
}

/** Where the next page of a list begins; null after the last one. @throws AppError `unavailable` for a repeated cursor */
export function nextCursor({ has_more: hasMore, next_cursor: next }: z.output<typeof listSchema>, seen: Set<string>) {
  if (!hasMore) return null;
  return requireNewPage(next, seen, "Notion does not lead to a next page of a list");
}
