import type { Generated } from "kysely";

/** Documents, their versions, passages and files, and what was read from them. */
export interface DocumentTables {
  documents: {
    seq: Generated<number>;
    id: string;
    organization_id: string;
    custom_id: string | null;
    content: string;
    revision: number;
    remembered_revision: number;
    title: string | null;
    summary: string | null;
    url: string | null;
    source: string | null;
    client: string | null;
    type: string;
    status: string;
    dreaming_status: string;
    error_reason: string | null;
    task_type: string;
    dreaming: string;
    metadata: string | null;
    filter_by_metadata: string | null;
    filepath: string | null;
    document_date: string | null;
    origin: string;
    facts: string | null;
    remember_as_is: number;
    receipt: string | null;
    facts_left_out: Generated<number>;
    waiting: number;
    created_at: string;
    updated_at: string;
    turns: string | null;
    forget_after: string | null;
    /** 1 while its chunks lie in the forgotten part of the index. */
    is_forgotten: Generated<number>;
  };
  document_revisions: {
    document_id: string;
    revision: number;
    content: string;
    created_at: string;
    prefix_length: number | null;
    pending: string | null;
  };
  document_containers: { document_id: string; container_id: number; position: number };
  document_descriptions: { document_id: string; text_mark: string; title: string | null; summary: string | null };
  document_readings: {
    document_id: string;
    file_key: string;
    digest: string;
    outcome: string | null;
    former: string | null;
  };
  document_attachments: { document_id: string; organization_id: string; attached_to: string; digest: string };
  files: {
    key: string;
    organization_id: string;
    document_id: string;
    name: string | null;
    mime_type: string;
    bytes: number;
    created_at: string;
  };
  message_pictures: {
    document_id: string;
    /** Digest of the bytes, or of the address. */
    digest: string;
    organization_id: string;
    address: string | null;
    /** Null once it has been read. */
    bytes: Uint8Array | null;
    read_at: string | null;
    note: string | null;
  };
  chunks: {
    seq: Generated<number>;
    id: string;
    document_id: string;
    revision: number;
    position: number;
    content: string;
    context: string;
    metadata: string | null;
    created_at: string;
  };
  cut_with: { document_id: string; chunking: string };
}
