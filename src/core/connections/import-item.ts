import { sha256 } from "../../lib/crypto.js";
import { truncate } from "../../lib/truncate.js";
import { authorize } from "../access/authorization.js";
import { dropBlobs } from "../documents/blobs.js";
import { removeDocument } from "../documents/documents.js";
import { addFile } from "../documents/add-file.js";
import { FileBytes } from "../documents/file-bytes.js";
import { updateDocument } from "../documents/update-document.js";
import { homeOf } from "../documents/custom-ids.js";
import type { CoreContext } from "../context.js";
import { customIdSchema, dateSchema, filepathSchema } from "../input.js";
import type { Repositories, SourceContent, SourceItem } from "../ports.js";
import type { Actor, Connection, ConnectionItem, Document } from "../types.js";
import { customIdOfLeft, isOf } from "./left-documents.js";

const LONGEST_TITLE = 500;
const MIME_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** The actor that writes for a connection. */
export function actorOf({ organizationId, id }: Pick<Connection, "organizationId" | "id">): Actor {
  return { organizationId, name: `connection:${id}`, containers: "all" };
}

/** Another item has become the document intended for this one. */
class DocumentTaken extends Error {}

export interface ReadItem {
  readonly item: SourceItem;
  readonly content: SourceContent;
  readonly before: ConnectionItem | null;
  /** Records what the item has become, in the transaction that writes its document; nothing is written if it throws. */
  readonly note: (repositories: Repositories, documentId: string) => Promise<void>;
}

/** Stores the content of an item as its document. */
export async function keepContent(context: CoreContext, connection: Connection, read: ReadItem): Promise<void> {
  try {
    await writeContent(context, connection, read);
  } catch (error) {
    if (!(error instanceof DocumentTaken)) throw error;
    // The document now belongs to another item, so a different customId is found.
    await writeContent(context, connection, read);
  }
}

async function writeContent(
  context: CoreContext,
  connection: Connection,
  { item, content, before, note }: ReadItem,
): Promise<void> {
  const actor = actorOf(connection);
  const existing = await documentOf(context, connection, before);
  const tags = existing?.containerTags ?? tagsOf(connection, item);
  const title = printable(content.title ?? item.title);
  const isText = typeof content.content === "string";
  const bytes = isText ? Buffer.from(content.content as string, "utf8") : (content.content as Uint8Array);
  const mimeType = content.mimeType ?? (isText ? "text/markdown" : null);
  const customId = existing?.customId ?? (await freeCustomId(context, connection, item, tags));
  const within = async (repositories: Repositories, documentId: string): Promise<void> => {
    const owners = await repositories.connections.ofDocuments([documentId]);
    if (!owners.every((owner) => isOf(context, connection, item, owner))) throw new DocumentTaken();
    if (owners.some(({ connectionId }) => connectionId === null)) await repositories.connections.takeOver(documentId);
    await note(repositories, documentId);
  };
  await addFile(
    context,
    authorize("addFile", { actor }),
    {
      bytes: new FileBytes(bytes),
      name: printable(content.fileName ?? (isText ? `${truncate(title ?? item.id, 100)}.md` : null)),
      ...(mimeType !== null && MIME_TYPE.test(mimeType) && { contentType: mimeType }),
      document: {
        containerTags: [...tags],
        customId,
        ...(title && { title: truncate(title, LONGEST_TITLE) }),
        metadata: { ...content.metadata, sm_source: connection.provider },
        ...(connection.endUserId !== null && { endUserId: connection.endUserId }),
        ...pathOf(item),
        ...(isDate(content.changedAt) && { documentDate: content.changedAt }),
        origin: "connector",
      },
    },
    { within, ...(content.type !== null && { type: content.type }) },
  );
}

/** Applies a rename or move of an item with unchanged content. */
export async function followMove(
  context: CoreContext,
  connection: Connection,
  known: ConnectionItem,
  item: SourceItem,
): Promise<void> {
  const title = printable(item.title);
  const formerTitle = printable(known.item.title);
  const isRenamed = title !== null && title !== formerTitle;
  const isMoved = item.path !== known.item.path;
  const isElsewhere = item.containerTag !== known.item.containerTag;
  if (!isRenamed && !isMoved && !isElsewhere) return;
  const document = await documentOf(context, connection, known);
  if (!document) return;
  await updateDocument(context, authorize("updateDocument", { actor: actorOf(connection) }), {
    id: document.id,
    // A title that somebody changed here stays.
    ...(isRenamed && document.title === formerTitle && { title: truncate(title, LONGEST_TITLE) }),
    ...(isMoved && pathOf(item)),
    ...(isElsewhere && { containerTags: [...tagsOf(connection, item)] }),
  });
}

/**
 * Removes the document of an item, and the item.
 * @returns whether there was a document
 * @param guard checks first, in the same transaction; nothing is removed if it throws
 */
export async function removeItem(
  context: CoreContext,
  connection: Connection,
  known: ConnectionItem,
  guard?: (repositories: Repositories) => Promise<void>,
): Promise<boolean> {
  const actor = actorOf(connection);
  const files = await context.store.transaction(async (repositories) => {
    await guard?.(repositories);
    const document =
      known.documentId === null ? null : await repositories.documents.byId(connection.organizationId, known.documentId);
    await repositories.connections.removeItem(connection.id, known.item.id);
    return document && (await removeDocument(repositories, actor, document));
  });
  await dropBlobs(context, files ?? []);
  if (known.documentId !== null) context.events.changed(known.documentId);
  context.wakeJobs();
  return files !== null;
}

async function documentOf(
  { store }: CoreContext,
  { organizationId }: Connection,
  known: ConnectionItem | null,
): Promise<Document | null> {
  return known?.documentId == null ? null : store.documents.byId(organizationId, known.documentId);
}

function tagsOf({ containerTags }: Connection, { containerTag }: SourceItem): readonly string[] {
  return containerTag === undefined ? containerTags : [containerTag];
}

/**
 * The customId of a document that an earlier connection to the same place left here; otherwise the source's id, if it is a
 * valid customId and nothing else in the container has it.
 */
async function freeCustomId(
  context: CoreContext,
  connection: Connection,
  item: SourceItem,
  tags: readonly string[],
): Promise<string> {
  const left = await customIdOfLeft(context, connection, item, tags);
  if (left !== null) return left;
  const { store } = context;
  const { organizationId, provider } = connection;
  const { id } = item;
  const wanted = customIdSchema.safeParse(id).success ? id : `${provider}:${sha256(id).slice(0, 40)}`;
  const other = await store.documents.byCustomId(organizationId, wanted, homeOf(tags));
  if (!other) return wanted;
  const [owner] = await store.connections.ofDocuments([other.id]);
  const isOwn = owner?.connectionId === connection.id && owner.itemId === id;
  return isOwn ? wanted : `${connection.id}:${sha256(id).slice(0, 40)}`;
}

/** A title without characters that cannot be shown; null for none. */
function printable(title: string | null): string | null {
  const shown = title
    ?.toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return shown === undefined || shown === "" ? null : shown;
}

function isDate(text: string | null): text is string {
  return text !== null && dateSchema.safeParse(text).success;
}

function pathOf({ path }: SourceItem): { filepath?: string } {
  if (path === null) return {};
  const filepath = path.startsWith("/") ? path : `/${path}`;
  return filepathSchema.safeParse(filepath).success ? { filepath } : {};
}
