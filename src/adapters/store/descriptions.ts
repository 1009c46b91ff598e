import type { Kysely } from "kysely";
import type { DocumentStore } from "../../core/ports.js";
import type { Database } from "./schema.js";

/** What language models call documents, a row each. */
export function createDescriptionStore(db: Kysely<Database>): Pick<DocumentStore, "describe" | "description"> {
  return {
    async describe(_organizationId, id, { textMark, title, summary }) {
      const values = { text_mark: textMark, title, summary };
      await db
        .insertInto("document_descriptions")
        .values({ document_id: id, ...values })
        .onConflict((conflict) => conflict.column("document_id").doUpdateSet(values))
        .execute();
    },

    async description(organizationId, id) {
      const row = await db
        .selectFrom("document_descriptions")
        .innerJoin("documents", "documents.id", "document_descriptions.document_id")
        .select(["text_mark", "document_descriptions.title as title", "document_descriptions.summary as summary"])
        .where("document_descriptions.document_id", "=", id)
        .where("documents.organization_id", "=", organizationId)
        .executeTakeFirst();
      return row ? { textMark: row.text_mark, title: row.title, summary: row.summary } : null;
    },
  };
}
