import { sql } from "kysely";
import type { DocumentStore } from "../../core/ports.js";
import { readRows } from "./fixed-query.js";
import { fromJson, toJson } from "./json.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";
import { outcomeOf, storedOutcome } from "./stranger-mark.js";

const READING = `select file_key, digest, outcome, former
  from document_readings reading join documents on documents.id = reading.document_id
  where reading.document_id = ? and +documents.organization_id = ? and (documents.url = '/files/' || reading.file_key or documents.url = reading.file_key)`;

type ReadingStore = Pick<DocumentStore, "keepReading" | "reading">;

/** Files that documents are read from, one row each. */
export const READING_METHODS: RepositoryMethods<ReadingStore, StoreContext> = {
  async keepReading({ db }, organizationId, id, { fileKey, digest, outcome, former }) {
    await sql`insert into document_readings (document_id, file_key, digest, outcome, former)
      select id, ${fileKey}, ${digest}, ${toJson(storedOutcome(outcome))}, ${toJson(storedOutcome(former))} from documents
      where id = ${id} and +organization_id = ${organizationId}
      on conflict (document_id) do update set
        file_key = excluded.file_key, digest = excluded.digest, outcome = excluded.outcome, former = excluded.former`.execute(
      db,
    );
  },

  async reading({ db }, organizationId, id) {
    const [row] = await readRows<{ file_key: string; digest: string; outcome: string | null; former: string | null }>(
      db,
      READING,
      [id, organizationId],
    );
    return row
      ? {
          fileKey: row.file_key,
          digest: row.digest,
          outcome: outcomeOf(fromJson(row.outcome)),
          former: outcomeOf(fromJson(row.former)),
        }
      : null;
  },
};
