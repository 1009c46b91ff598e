import { sql } from "kysely";
import type { DocumentStore } from "../../core/ports.js";
import { readRows } from "./fixed-query.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";

const COLUMNS = `select attachment.document_id as id, attachment.digest from document_attachments attachment`;
const ATTACHED = `where attachment.attached_to = ? and attachment.organization_id = ? order by attachment.document_id`;
const LIVE = `${COLUMNS} join documents on documents.id = attachment.document_id ${ATTACHED}`;
const EVER = `${COLUMNS} ${ATTACHED}`;
const AROUND = `select attached_to from document_attachments where document_id = ? and organization_id = ?`;

type AttachmentStore = Pick<DocumentStore, "attach" | "attachments" | "everAttached" | "attachedTo">;

/** Documents that came as attachments of other documents, one row each. */
export const ATTACHMENT_METHODS: RepositoryMethods<AttachmentStore, StoreContext> = {
  async attach({ db }, organizationId, id, { attachedTo, digest }) {
    await sql`insert into document_attachments (document_id, organization_id, attached_to, digest)
      values (${id}, ${organizationId}, ${attachedTo}, ${digest})`.execute(db);
  },

  attachments: ({ db }, organizationId, id) => readRows<{ id: string; digest: string }>(db, LIVE, [id, organizationId]),

  async everAttached({ db }, organizationId, id) {
    const rows = await readRows<{ id: string }>(db, EVER, [id, organizationId]);
    return rows.map((row) => row.id);
  },

  async attachedTo({ db }, organizationId, id) {
    const [row] = await readRows<{ attached_to: string }>(db, AROUND, [id, organizationId]);
    return row?.attached_to ?? null;
  },
};
