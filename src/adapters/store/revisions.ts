import { type Kysely, sql } from "kysely";
import type { DocumentStore, PendingFacts } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { fromJson, toJson } from "./json.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

type RevisionStore = Pick<DocumentStore, "keepRevision" | "revisionText" | "pendingRevisions" | "settleRevisions">;

/** Earlier submissions of documents. */
export const REVISION_METHODS: RepositoryMethods<RevisionStore, StoreContext> = {
  async keepRevision({ db, clock }, _organizationId, id, { revision, content, isPrefixOfNext, pending }) {
    await db
      .insertInto("document_revisions")
      .values({
        document_id: id,
        revision,
        content: isPrefixOfNext ? "" : content,
        prefix_length: isPrefixOfNext ? content.length : null,
        pending: toJson(pending),
        created_at: iso(clock.now()),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },

  async revisionText({ db }, organizationId, id, revision) {
    const newest = await db
      .selectFrom("documents")
      .select(["content", "revision"])
      .where("id", "=", id)
      .where(sql<boolean>`+organization_id = ${organizationId}`)
      .executeTakeFirst();
    if (!newest) return null;
    if (newest.revision === revision) return newest.content;
    const kept = await ofDocument(db, organizationId, id)
      .select(["document_revisions.content", "document_revisions.prefix_length as length"])
      .where("document_revisions.revision", "=", revision)
      .executeTakeFirst();
    if (!kept || kept.length === null) return kept?.content ?? null;
    // A prefix of a prefix is a prefix of the next later text that is stored in full.
    const whole = await ofDocument(db, organizationId, id)
      .select("document_revisions.content")
      .where("document_revisions.revision", ">", revision)
      .where("document_revisions.prefix_length", "is", null)
      .orderBy("document_revisions.revision")
      .executeTakeFirst();
    return (whole ?? newest).content.slice(0, kept.length);
  },

  async pendingRevisions({ db }, organizationId, id) {
    const rows = await ofDocument(db, organizationId, id)
      .select(["document_revisions.revision", "document_revisions.pending"])
      .where("document_revisions.pending", "is not", null)
      .orderBy("document_revisions.revision")
      .execute();
    return rows.map(({ revision, pending }) => ({
      facts: null,
      rememberAsIs: false,
      ...fromJson<PendingFacts>(pending),
      revision,
    }));
  },

  async settleRevisions({ db }, _organizationId, id, revision) {
    await db
      .updateTable("document_revisions")
      .set({ pending: null })
      .where("document_id", "=", id)
      .where("revision", "<=", revision)
      .where("pending", "is not", null)
      .execute();
  },
};

function ofDocument(db: Kysely<Database>, organizationId: string, id: string) {
  return db
    .selectFrom("document_revisions")
    .innerJoin("documents", "documents.id", "document_revisions.document_id")
    .where(sql<boolean>`+documents.organization_id = ${organizationId}`)
    .where("document_revisions.document_id", "=", id);
}
