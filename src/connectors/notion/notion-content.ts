import * as z from "zod";
import { ItemGone } from "../../core/connections/connector-errors.js";
import { askNotion, listSchema, nextCursor, type NotionApi, PAGE_SIZE, parseNotion } from "./notion-api.js";
import { plainTextOf } from "./notion-pages.js";

/** Parts of a long page, requested one by one. */
const MOST_PARTS = 200;
/** Block lists of one page. */
const MOST_LISTS = 500;
const DEEPEST = 20;

const markdownSchema = z.object({
  markdown: z.string(),
  unknown_block_ids: z.array(z.string()).default([]),
});

export interface NotionContent {
  readonly markdown: string;
  /** By Notion's clock. */
  readonly readAt: Date;
}

/** A page as Markdown; from its blocks where Notion does not provide it. @throws ItemGone */
export async function notionContentOf(api: NotionApi, id: string): Promise<NotionContent> {
  const first = await askNotion(api, `/pages/${id}/markdown`, { accepts: [400, 404] });
  const readAt = new Date(Date.parse(first.headers["date"] ?? "") || api.access.now());
  // Both statuses may also mean that this API has no such address, which the blocks settle.
  if (first.status !== 200) return { markdown: await blocksOf(api, id), readAt };
  const { markdown, unknown_block_ids: unknown } = parseNotion(first, markdownSchema);
  const parts = [markdown];
  const waiting = [...unknown];
  const seen = new Set([id]);
  while (waiting.length > 0 && seen.size <= MOST_PARTS) {
    const next = waiting.shift() ?? "";
    if (seen.has(next)) continue;
    seen.add(next);
    // The parts left out of a long page include some that are closed to the integration or have no Markdown.
    const answer = await askNotion(api, `/pages/${encodeURIComponent(next)}/markdown`, { accepts: [400, 403, 404] });
    if (answer.status !== 200) continue;
    const more = parseNotion(answer, markdownSchema);
    parts.push(more.markdown);
    waiting.push(...more.unknown_block_ids);
  }
  return { markdown: parts.map((part) => part.replace(/<unknown\b[^<>]*>/g, "")).join("\n\n"), readAt };
}

const blockSchema = z.looseObject({ id: z.string(), type: z.string(), has_children: z.boolean().default(false) });
const heldSchema = z.object({
  rich_text: z.unknown().optional(),
  caption: z.unknown().optional(),
  cells: z.array(z.unknown()).optional(),
  checked: z.boolean().optional(),
  language: z.string().nullish(),
  expression: z.string().optional(),
  title: z.string().optional(),
  url: z.string().optional(),
});

/** The text of a page's blocks. @throws ItemGone */
async function blocksOf(api: NotionApi, page: string): Promise<string> {
  let lists = 0;
  const below = async (id: string, depth: number): Promise<string[]> => {
    const lines: string[] = [];
    const seen = new Set<string>();
    for (let cursor: string | null = null; lists < MOST_LISTS;) {
      lists += 1;
      const from = cursor === null ? "" : `&start_cursor=${encodeURIComponent(cursor)}`;
      const path = `/blocks/${encodeURIComponent(id)}/children?page_size=${PAGE_SIZE}${from}`;
      const answer = await askNotion(api, path, { accepts: [404] });
      if (answer.status === 404 && id === page) throw new ItemGone("The page is no longer in Notion.");
      if (answer.status === 404) break;
      const list = parseNotion(answer, listSchema);
      for (const result of list.results) {
        const block = blockSchema.safeParse(result).data;
        if (block === undefined) continue;
        const line = lineOf(block.type, heldSchema.safeParse(block[block.type]).data ?? {});
        if (line !== "") lines.push(line);
        // A subpage is a document of its own.
        const isOpen = block.has_children && depth < DEEPEST && !block.type.startsWith("child_");
        const inside = isOpen ? await below(block.id, depth + 1) : [];
        if (block.type === "table") lines.push(tableOf(inside));
        else lines.push(...inside.map((one) => indented(block.type, one)));
      }
      cursor = nextCursor(list, seen);
      if (cursor === null) break;
    }
    return lines;
  };
  return (await below(page, 0)).join("\n\n");
}

/** Markdown has no table without a line below the column names. */
function tableOf([names = "|  |", ...rows]: readonly string[]): string {
  return [names, `|${" --- |".repeat(names.split(/(?<!\\)\|/).length - 2)}`, ...rows].join("\n");
}

function indented(type: string, line: string): string {
  return /list_item$|^to_do$/.test(type) ? line.replace(/^/gm, "  ") : line;
}

function lineOf(type: string, held: z.output<typeof heldSchema>): string {
  const text = plainTextOf(held.rich_text) || plainTextOf(held.caption);
  switch (type) {
    case "heading_1":
    case "heading_2":
    case "heading_3":
      return `${"#".repeat(Number(type.at(-1)))} ${text}`;
    case "bulleted_list_item":
      return `- ${text}`;
    case "numbered_list_item":
      return `1. ${text}`;
    case "to_do":
      return `- [${held.checked === true ? "x" : " "}] ${text}`;
    case "quote":
      return text.replace(/^/gm, "> ");
    case "code":
      return `\`\`\`${held.language ?? ""}\n${text}\n\`\`\``;
    case "table_row":
      return `| ${(held.cells ?? []).map((cell) => plainTextOf(cell).replaceAll("|", "\\|")).join(" | ")} |`;
    case "child_page":
    case "child_database":
      return held.title ?? "";
    default:
      return text || (held.expression ?? held.url ?? "");
  }
}
