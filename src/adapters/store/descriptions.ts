import { type Kysely, sql } from "kysely";
import type { DocumentStore } from "../../core/ports.js";
import type { Database } from "./schema.js";

/** What language models call documents, a row each. */
export function createDescriptionStore(db: Kysely<Database>): Pick<DocumentStore, "describe" | "description"> {
  return {
    async describe(organizationId, id, { textMark, title, summary }) {
      await sql`insert into document_descriptions (document_id, text_mark, title, summary)
        select id, ${textMark}, ${title}, ${summary} from documents
        where id = ${id} and +organization_id = ${organizationId}
        on conflict (document_id) do update set
          text_mark = excluded.text_mark, title = excluded.title, summary = excluded.summary`.execute(db);
    },

    async description(organizationId, id) {
      const row = await db
        .selectFrom("document_descriptions")
        .innerJoin("documents", "documents.id", "document_descriptions.document_id")
        .select(["text_mark", "document_descriptions.title as title", "document_descriptions.summary as summary"])
        .where("document_descriptions.document_id", "=", id)
        .where(sql<boolean>`+documents.organization_id = ${organizationId}`)
        .executeTakeFirst();
      return row ? { textMark: row.text_mark, title: row.title, summary: row.summary } : null;
    },
  };
}
