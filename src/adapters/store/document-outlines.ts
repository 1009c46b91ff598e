import { type Kysely, sql } from "kysely";
import type { DocumentOutline } from "../../core/ports.js";
import { type DocumentCategory, MOST_CONTENT_BYTES } from "../../core/types.js";
import { yieldTurn } from "../../lib/time.js";
import { slicesOf } from "./document-contents.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** The document's category, as `DocumentCategory` defines it. */
export const CATEGORY = sql<string>`case
  when instr(lower(documents.source), 'mcp') > 0 then 'mcp'
  when documents.type = 'onedrive' then documents.type
  when documents.type in ('google_doc', 'google_slide', 'google_sheet') then 'google_drive'
  when documents.type = 'notion_doc' then 'notion'
  when documents.source = 'web-crawler' then 'webpage'
  when substr(documents.url, 1, 7) = '/files/' then 'files'
  when documents.type in ('webpage', 'tweet') then documents.type
  when documents.type in ('pdf', 'image', 'video', 'audio') then 'files'
  else 'notes' end`;

/** Characters of a text that is shortened because there is no room for more. */
const BRIEF = 2_000;

/**
 * Sizes and beginnings of texts, in no particular order, as `DocumentStore.outlines` promises. Texts are read whole to measure
 * them.
 */
export async function readOutlines(
  db: Kysely<Database>,
  organizationId: string,
  ids: readonly string[],
  excerpt: number,
): Promise<DocumentOutline[]> {
  const { rows: documents } = await sql<{ id: string; bytes: number }>`
    select id, octet_length(content) as bytes from documents
    where id in (select value from json_each(${listParameter(ids)}))`.execute(db);
  const outlines: DocumentOutline[] = [];
  let characters = 0;
  for (const slice of slicesOf(documents)) {
    const shown = characters < MOST_CONTENT_BYTES ? excerpt : Math.min(excerpt, BRIEF);
    const read = await readSlice(db, organizationId, slice, shown);
    characters += read.reduce((sum, outline) => sum + (outline.excerpt?.length ?? 0), 0);
    outlines.push(...read);
    await yieldTurn();
  }
  return outlines;
}

async function readSlice(
  db: Kysely<Database>,
  organizationId: string,
  ids: readonly string[],
  excerpt: number,
): Promise<DocumentOutline[]> {
  const { rows } = await sql<DocumentOutline>`
    select d.id as id, substr(d.content, 1, ${excerpt}) as excerpt, length(d.content) as characters,
      count_words(d.content) as words,
      (select count(*) from chunks c where c.document_id = d.id) as chunks,
      (select coalesce(sum(length(c.content)), 0) from chunks c where c.document_id = d.id) as chunkCharacters
    from documents d
    where d.id in (select value from json_each(${listParameter(ids)})) and +d.organization_id = ${organizationId}`.execute(
    db,
  );
  return rows;
}

/** How many documents of each category some containers hold, most frequent first. */
export async function countCategories(
  db: Kysely<Database>,
  organizationId: string,
  tags: "all" | readonly string[],
): Promise<{ category: DocumentCategory; count: number }[]> {
  const lies =
    tags === "all"
      ? sql<boolean>`documents.organization_id = ${organizationId}`
      : // There is usually one organisation, so its index would lead through all documents; the plus keeps SQLite off it.
        sql<boolean>`+documents.organization_id = ${organizationId} and documents.id in (
          select dc.document_id from containers c join document_containers dc on dc.container_id = c.id
          where c.organization_id = ${organizationId} and c.tag in (select value from json_each(${listParameter(tags)})))`;
  // The expression above yields nothing but categories.
  const { rows } = await sql<{ category: DocumentCategory; count: number }>`
    select ${CATEGORY} as category, count(*) as count from documents where ${lies}
    group by 1 order by 2 desc, 1`.execute(db);
  return rows;
}
