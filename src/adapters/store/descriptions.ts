import { sql } from "kysely";
import type { DocumentStore } from "../../core/ports.js";
import { readRows } from "./fixed-query.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";

const DESCRIPTION = `select text_mark, described.title as title, described.summary as summary
  from document_descriptions described join documents on documents.id = described.document_id
  where described.document_id = ? and +documents.organization_id = ?`;

type DescriptionStore = Pick<DocumentStore, "describe" | "description">;

/** Titles and summaries that language models gave documents, one row each. */
export const DESCRIPTION_METHODS: RepositoryMethods<DescriptionStore, StoreContext> = {
  async describe({ db }, organizationId, id, { textMark, title, summary }) {
    await sql`insert into document_descriptions (document_id, text_mark, title, summary)
      select id, ${textMark}, ${title}, ${summary} from documents
      where id = ${id} and +organization_id = ${organizationId}
      on conflict (document_id) do update set
        text_mark = excluded.text_mark, title = excluded.title, summary = excluded.summary`.execute(db);
  },

  async description({ db }, organizationId, id) {
    const [row] = await readRows<{ text_mark: string; title: string; summary: string }>(db, DESCRIPTION, [
      id,
      organizationId,
    ]);
    return row ? { textMark: row.text_mark, title: row.title, summary: row.summary } : null;
  },
};
