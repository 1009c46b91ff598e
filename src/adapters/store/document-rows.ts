import type { Selectable } from "kysely";
import type { DocumentChange, DocumentDraft } from "../../core/ports.js";
import type { Document, DocumentHead } from "../../core/types.js";
import { fromJson, toJson } from "./json.js";
import type { Database } from "./schema.js";

/** A document as selected, with its container tags as a JSON array. */
export type DocumentRow = Selectable<Database["documents"]> & { tags: string };

/** The same without the text and the store's own columns. */
export type HeadRow = Omit<DocumentRow, "content" | "turns" | "seq" | "waiting" | "is_forgotten">;

/** The columns of a new document. */
export function rowOf(organizationId: string, draft: DocumentDraft) {
  return {
    id: draft.id,
    organization_id: organizationId,
    custom_id: draft.customId,
    content: draft.content,
    turns: toJson(draft.turns),
    remembered_revision: 0,
    title: draft.title,
    summary: null,
    url: draft.url,
    source: draft.source,
    client: draft.client,
    type: draft.type,
    status: draft.status,
    dreaming_status: draft.dreamingStatus,
    error_reason: null,
    task_type: draft.taskType,
    dreaming: draft.dreaming,
    metadata: toJson(draft.metadata),
    filter_by_metadata: toJson(draft.filterByMetadata),
    filepath: draft.filepath,
    document_date: draft.documentDate,
    forget_after: draft.forgetAfter,
    origin: draft.origin,
    facts: toJson(draft.facts),
    remember_as_is: draft.rememberAsIs ? 1 : 0,
    receipt: null,
    facts_left_out: 0,
    waiting: isWaiting(draft) ? 1 : 0,
  };
}

/** The columns that a change sets. */
export function columnsOf(change: DocumentChange): Partial<Selectable<Database["documents"]>> {
  const columns: Partial<Selectable<Database["documents"]>> = {};
  if (change.customId !== undefined) columns.custom_id = change.customId;
  if (change.content !== undefined) columns.content = change.content;
  if (change.turns !== undefined) columns.turns = toJson(change.turns);
  if (change.revision !== undefined) columns.revision = change.revision;
  if (change.rememberedRevision !== undefined) columns.remembered_revision = change.rememberedRevision;
  if (change.title !== undefined) columns.title = change.title;
  if (change.url !== undefined) columns.url = change.url;
  if (change.client !== undefined) columns.client = change.client;
  if (change.summary !== undefined) columns.summary = change.summary;
  if (change.type !== undefined) columns.type = change.type;
  if (change.status !== undefined) columns.status = change.status;
  if (change.dreamingStatus !== undefined) columns.dreaming_status = change.dreamingStatus;
  if (change.errorReason !== undefined) columns.error_reason = change.errorReason;
  if (change.taskType !== undefined) columns.task_type = change.taskType;
  if (change.dreaming !== undefined) columns.dreaming = change.dreaming;
  if (change.metadata !== undefined) columns.metadata = toJson(change.metadata);
  if (change.filterByMetadata !== undefined) columns.filter_by_metadata = toJson(change.filterByMetadata);
  if (change.source !== undefined) columns.source = change.source;
  if (change.filepath !== undefined) columns.filepath = change.filepath;
  if (change.documentDate !== undefined) columns.document_date = change.documentDate;
  if (change.forgetAfter !== undefined) columns.forget_after = change.forgetAfter;
  if (change.origin !== undefined) columns.origin = change.origin;
  if (change.facts !== undefined) columns.facts = toJson(change.facts);
  if (change.rememberAsIs !== undefined) columns.remember_as_is = change.rememberAsIs ? 1 : 0;
  if (change.receipt !== undefined) columns.receipt = toJson(change.receipt);
  if (change.factsLeftOut !== undefined) columns.facts_left_out = change.factsLeftOut;
  return columns;
}

/** Sets `waiting` after a change; takes a status, twice, and a dreaming status, either of which may be null. */
export const SET_WAITING = `waiting = iif(coalesce(?, status) <> 'failed'
  and (coalesce(?, status) <> 'done' or coalesce(?, dreaming_status) = 'dreaming'), 1, 0)`;

/** True while chunks or memories are still to come; nothing comes after a failure. */
function isWaiting({ status, dreamingStatus }: Pick<Document, "status" | "dreamingStatus">): boolean {
  return status !== "failed" && (status !== "done" || dreamingStatus === "dreaming");
}

/** Only this file writes the columns, so the narrow types are certain. */
export function documentOf(row: Omit<DocumentRow, "seq" | "waiting" | "is_forgotten">): Document {
  return { ...headOf(row), content: row.content, turns: fromJson(row.turns) };
}

/** The same without the text. */
export function headOf(row: HeadRow): DocumentHead {
  return {
    id: row.id,
    organizationId: row.organization_id,
    customId: row.custom_id,
    containerTags: fromJson<string[]>(row.tags) ?? [],
    revision: row.revision,
    rememberedRevision: row.remembered_revision,
    title: row.title,
    summary: row.summary,
    url: row.url,
    source: row.source,
    client: row.client,
    type: row.type,
    status: row.status as Document["status"],
    dreamingStatus: row.dreaming_status as Document["dreamingStatus"],
    errorReason: row.error_reason,
    taskType: row.task_type as Document["taskType"],
    dreaming: row.dreaming as Document["dreaming"],
    metadata: fromJson(row.metadata),
    filterByMetadata: fromJson(row.filter_by_metadata),
    filepath: row.filepath,
    documentDate: row.document_date,
    forgetAfter: row.forget_after,
    origin: row.origin as Document["origin"],
    facts: fromJson(row.facts),
    rememberAsIs: row.remember_as_is === 1,
    receipt: fromJson(row.receipt),
    factsLeftOut: row.facts_left_out,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
