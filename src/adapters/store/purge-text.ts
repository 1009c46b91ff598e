import { type Kysely, sql } from "kysely";
import type { PendingFacts, Requote, Rewriting } from "../../core/ports.js";
import { fromJson, toJson } from "./json.js";
import type { Database } from "./schema.js";
import { dropChunkUnits } from "./text-index.js";

/**
 * Removes what was made from a document's text: chunks with their index entries and vectors, its description, and the uploads
 * that it came from. @returns the keys of the uploads
 */
export async function removeMadeOf(
  db: Kysely<Database>,
  organizationId: string,
  documentId: string,
): Promise<string[]> {
  await dropChunkUnits(db, documentId, { before: Number.MAX_SAFE_INTEGER });
  await sql`delete from chunks where document_id = ${documentId}`.execute(db);
  await sql`delete from document_descriptions where document_id = ${documentId}`.execute(db);
  await sql`delete from message_pictures where document_id = ${documentId}`.execute(db);
  const files = await db
    .deleteFrom("files")
    .where("document_id", "=", documentId)
    .where("organization_id", "=", organizationId)
    .returning("key")
    .execute();
  return files.map(({ key }) => key);
}

/** A document's newest text and its earlier ones, in full. */
export async function readKeptTexts(
  db: Kysely<Database>,
  organizationId: string,
  documentId: string,
): Promise<string[]> {
  const document = await db
    .selectFrom("documents")
    .select("content")
    .where("id", "=", documentId)
    .where(sql<boolean>`+organization_id = ${organizationId}`)
    .executeTakeFirst();
  return document ? [document.content, ...(await readRevisions(db, documentId, document.content)).map(textOf)] : [];
}

interface RevisionText {
  readonly revision: number;
  readonly pending: string | null;
  /** The text it is stored in: its own, or a later one that begins with it. */
  readonly whole: string;
  readonly prefix: number | null;
}

/** Earlier submissions of a document, latest first. */
async function readRevisions(db: Kysely<Database>, documentId: string, newest: string): Promise<RevisionText[]> {
  const rows = await db
    .selectFrom("document_revisions")
    .select(["revision", "content", "prefix_length as prefix", "pending"])
    .where("document_id", "=", documentId)
    .orderBy("revision", "desc")
    .execute();
  let whole = newest;
  return rows.map(({ revision, content, prefix, pending }) => {
    if (prefix === null) whole = content;
    return { revision, pending, whole, prefix };
  });
}

function textOf({ whole, prefix }: RevisionText): string {
  return prefix === null ? whole : whole.slice(0, prefix);
}

/** Rewrites a document's earlier submissions before its newest text is changed: some are stored as prefixes of a later one. */
export async function rewriteRevisions(
  db: Kysely<Database>,
  documentId: string,
  { text: rewrite, keepsFact }: Rewriting,
): Promise<void> {
  const newest = await db.selectFrom("documents").select("content").where("id", "=", documentId).executeTakeFirst();
  const rows = await readRevisions(db, documentId, newest?.content ?? "");
  let next = rewrite(newest?.content ?? "");
  for (const row of rows) {
    const { revision, prefix, pending } = row;
    const text = rewrite(textOf(row));
    const isPrefix = prefix !== null && next.startsWith(text);
    await db
      .updateTable("document_revisions")
      .set({
        content: isPrefix ? "" : text,
        prefix_length: isPrefix ? text.length : null,
        pending: pendingWithout(pending, keepsFact),
      })
      .where("document_id", "=", documentId)
      .where("revision", "=", revision)
      .execute();
    if (!isPrefix) next = text;
  }
}

function pendingWithout(pending: string | null, keepsFact: Rewriting["keepsFact"]): string | null {
  const facts = fromJson<PendingFacts | null>(pending);
  return facts?.facts ? toJson({ ...facts, facts: facts.facts.filter(({ text }) => keepsFact(text)) }) : pending;
}

/** Changes a memory's link to a document; a quote that is not kept is removed from the journal's entries too. */
export async function requote(
  db: Kysely<Database>,
  change: { readonly organizationId: string; readonly documentId: string; readonly link: Requote },
): Promise<void> {
  const { organizationId, documentId, link } = change;
  const { memoryId, at, keepsQuote } = link;
  await db
    .updateTable("memory_sources")
    .set({ quote_start: at?.start ?? null, quote_end: at?.end ?? null, ...(!keepsQuote && { quote: null }) })
    .where("memory_id", "=", memoryId)
    .where("document_id", "=", documentId)
    .execute();
  if (keepsQuote) return;
  const without = (column: "before" | "after") => {
    const state = sql.ref(column);
    return sql`iif(json_type(${state}, '$.sources') = 'array', json_set(${state}, '$.sources', (
      select json_group_array(json(iif(source.value ->> '$.documentId' = ${documentId},
        json_set(source.value, '$.quote', null, '$.quoteAt', null), source.value)))
      from json_each(${state}, '$.sources') source)), ${state})`;
  };
  await sql`update journal set before = ${without("before")}, after = ${without("after")}
    where subject_id = ${memoryId} and organization_id = ${organizationId}`.execute(db);
}
