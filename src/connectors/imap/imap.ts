import type { FetchMessageObject, ListResponse } from "imapflow";
import * as z from "zod";
import { CheckpointExpired, ItemGone, ItemTooLarge, readCheckpoint } from "../../core/connections/connector-errors.js";
import type { ChangePage, Connector, SourceAccess, SourceChange, SourceContent, SourceItem } from "../../core/ports.js";
import { type Head, headsOf, sourcesOf } from "./asked-mails.js";
import {
  FOLDER_STATE,
  mailFoldersOf,
  mailHostOf,
  type ImapOptions,
  type Mailbox,
  SHORT_ANSWER,
  withMailbox,
} from "./mailbox-client.js";
import { presentMails, unreadFolder } from "./present-mails.js";
import { addUids, countUids, eachUid, formatUids, parseUids, type UidSet, uidPieces, withoutUids } from "./uid-set.js";

/** Mails per page. */
const PAGE = 50;
/** Removals per page. */
const REMOVALS = 500;
/** Bytes of mail that a page holds in total; the rest is read one by one. */
const MOST_BYTES = 16 * 1024 * 1024;
/** A mail never changes: an edited one is a new mail. */
const VERSION = "1";

const fields = z.object({
  host: z
    .string()
    .trim()
    .regex(/^[\w.:[\]-]{1,253}$/, "must be a host name, such as imap.example.com"),
  port: z.coerce.number("must be a port number").int("must be a port number").min(1).max(65_535).optional(),
  tls: z
    .enum(["on", "starttls", "off"], "must be on, starttls or off")
    .default("on")
    .describe("off sends the password in the clear: only for a server on your own network"),
  user: z.string().trim().min(1, "must be the user name to sign in with"),
  password: z.string().min(1, "must be the password; if the provider has app passwords, one of those"),
  folders: z
    .string()
    .max(4_000)
    .optional()
    .describe("Names separated by commas; by default all except bin, junk and drafts"),
});

const folderSchema = z.object({
  path: z.string(),
  validity: z.string(),
  next: z.number(),
  /** Mails already brought in, as a sequence set. */
  uids: z.string(),
});
const checkpointSchema = z.object({ phase: z.enum(["listing", "changes"]), folders: z.array(folderSchema) });
const detailSchema = z.object({
  folder: z.string(),
  validity: z.string(),
  uid: z.number(),
  size: z.number(),
});

/** A folder's state after a run, with its mails already brought in. */
interface Folder {
  readonly path: string;
  readonly validity: string;
  readonly next: number;
  readonly uids: UidSet;
}

/**
 * The mails of a mailbox over IMAP (RFC 3501 and 9051). A mail is identified by its folder, the folder's UIDVALIDITY and its
 * UID. Since mails never change, a folder with the same UIDNEXT and count has the same mails; otherwise the UIDs are compared
 * with those of the checkpoint. That finds deletions on every server, with or without CONDSTORE and QRESYNC.
 */
export function createImapConnector(options: ImapOptions = {}): Connector {
  return {
    provider: "imap",
    title: "Mailbox (IMAP)",
    signIn: { kind: "credentials" },
    fields,
    secretFields: ["password"],
    placeFields: ["host", "port", "tls"],
    sync: { everyMinutes: 60, absences: 1, readsAtOnce: 1 },

    async check(access) {
      await firstOf(withMailbox(access, options, (mailbox) => once(mailFoldersOf(mailbox, access))));
      return { account: String(access.settings["user"]) };
    },

    changes(access, checkpoint) {
      const from = checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint);
      return withMailbox(access, options, (mailbox) => follow(mailbox, access, from));
    },

    async read(access, item) {
      const { folder, validity, uid, size } = detailSchema.parse(item.detail);
      if (size > access.maximumBytes) throw new ItemTooLarge("The email", size, access.maximumBytes);
      const mail = await firstOf(
        withMailbox(access, options, (mailbox) =>
          once(fetchOne(mailbox, { folder, validity, uid }, access.maximumBytes)),
        ),
      );
      if (!mail?.source) throw new ItemGone("The email is no longer in its folder.");
      return contentOf(mail, mail.source, folder);
    },
  };
}

async function* once<T>(promise: Promise<T>): AsyncGenerator<T> {
  yield await promise;
}

async function firstOf<T>(values: AsyncIterable<T>): Promise<T | null> {
  for await (const value of values) return value;
  return null;
}

async function fetchOne(
  mailbox: Mailbox,
  { folder, validity, uid }: Omit<z.output<typeof detailSchema>, "size">,
  mostBytes: number,
): Promise<FetchMessageObject | null> {
  const { client, meter } = mailbox;
  meter.allow(SHORT_ANSWER);
  const found = (await client.list({ listOnly: true })).some(({ path }) => path === folder);
  if (!found) return null;
  const opened = await client.mailboxOpen(folder, { readOnly: true });
  if (String(opened.uidValidity) !== validity) return null;
  return firstOf(sourcesOf(mailbox, [[uid, uid]], mostBytes));
}

async function* follow(
  mailbox: Mailbox,
  access: SourceAccess,
  checkpoint: z.output<typeof checkpointSchema> | null,
): AsyncGenerator<ChangePage> {
  const phase = checkpoint?.phase ?? "listing";
  const kept = new Map((checkpoint?.folders ?? []).map((one) => [one.path, folderOf(one)]));
  const found = await mailFoldersOf(mailbox, access);
  let isFirst = checkpoint === null;
  const page = (items: readonly SourceChange[], isLast = false): ChangePage => {
    const folders = [...kept.values()].map(({ uids, ...rest }) => ({ ...rest, uids: formatUids(uids) }));
    const next = { phase: isLast ? "changes" : phase, folders };
    const made = { kind: phase, isFirst, isLast, items, checkpoint: next };
    isFirst = false;
    return made;
  };
  for (const listed of found) {
    const before = kept.get(listed.path);
    if (before && (await isSame(mailbox, before, listed))) continue;
    for await (const step of compare(mailbox, access, listed, before)) {
      kept.set(listed.path, step.folder);
      yield page(step.items);
    }
  }
  for (const folder of Array.from(kept.values())) {
    if (found.some(({ path }) => path === folder.path)) continue;
    for (const piece of uidPieces(folder.uids, REMOVALS)) {
      kept.set(folder.path, { ...folder, uids: withoutUids(kept.get(folder.path)?.uids ?? [], piece) });
      yield page(removals(access, folder, piece));
    }
    kept.delete(folder.path);
  }
  yield page([], true);
}

/** @throws CheckpointExpired where the folder has new UIDs */
async function isSame(
  { client, meter }: Mailbox,
  { path, validity, next, uids }: Folder,
  { status: told }: ListResponse,
): Promise<boolean> {
  meter.allow(SHORT_ANSWER);
  const status = told?.uidNext === undefined ? await client.status(path, FOLDER_STATE) : told;
  if (status === false) throw unreadFolder(path, "its state was refused");
  if (status.uidValidity !== undefined && String(status.uidValidity) !== validity) throw new CheckpointExpired();
  return status.uidNext === next && status.messages === countUids(uids);
}

/** A part of the work on a folder: the items, and the folder's state once they are brought in. */
interface Step {
  readonly folder: Folder;
  readonly items: readonly SourceChange[];
}

async function* compare(
  mailbox: Mailbox,
  access: SourceAccess,
  listed: ListResponse,
  before: Folder | undefined,
): AsyncGenerator<Step> {
  const { client, meter } = mailbox;
  const { path } = listed;
  meter.allow(SHORT_ANSWER);
  const opened = await client.mailboxOpen(path, { readOnly: true });
  const validity = String(opened.uidValidity);
  if (before && before.validity !== validity) throw new CheckpointExpired();
  const present = await presentMails(mailbox, opened);
  const gone = withoutUids(before?.uids ?? [], present);
  // The present count, which removals may have lowered. If a mail has arrived meanwhile, the folder is read again.
  const exists = client.mailbox === false ? opened.exists : client.mailbox.exists;
  const least = countUids(gone) > 0 ? exists : Math.min(opened.exists, exists);
  if (countUids(present) < least) throw unreadFolder(path, "it lists fewer emails than it says it has");
  const next = opened.uidNext ?? 0;
  let folder: Folder = { path, validity, next: before?.next ?? 0, uids: before?.uids ?? [] };
  const fresh = withoutUids(present, folder.uids);
  for (const piece of uidPieces(gone, REMOVALS)) {
    folder = { ...folder, uids: withoutUids(folder.uids, piece) };
    yield { folder, items: removals(access, folder, piece) };
  }
  for (const piece of uidPieces(fresh, PAGE)) {
    const { items, fetched } = await fetchPiece(mailbox, access, { listed, validity }, piece);
    // Mails that the server left out are requested again by the next run, if they still exist.
    folder = { ...folder, uids: addUids(folder.uids, fetched) };
    yield { folder, items };
  }
  yield { folder: { ...folder, next }, items: [] };
}

interface Place {
  readonly listed: ListResponse;
  readonly validity: string;
}

/** The mails of a piece, with the content of those that are not known yet. */
async function fetchPiece(
  mailbox: Mailbox,
  access: SourceAccess,
  place: Place,
  piece: UidSet,
): Promise<{ readonly items: readonly SourceChange[]; readonly fetched: UidSet }> {
  const heads = await headsOf(mailbox, piece);
  const items = new Map(heads.map((head) => [head.uid, itemOf(access, place, head)]));
  const wanted: [number, number][] = [];
  let bytes = 0;
  for (const { uid, size } of heads) {
    bytes += size;
    if (bytes > Math.min(MOST_BYTES, access.maximumBytes)) break;
    const item = items.get(uid);
    // A mail of unknown size is read by itself.
    if (size > 0 && item && (await access.known(item.id))?.version !== item.version) wanted.push([uid, uid]);
  }
  const contents = new Map<number, SourceContent>();
  if (wanted.length > 0)
    // Some servers only estimate sizes.
    for await (const mail of sourcesOf(mailbox, addUids([], wanted), 2 * MOST_BYTES))
      if (mail.source) contents.set(mail.uid, contentOf(mail, mail.source, place.listed.path));
  return {
    items: [...items].map(([uid, item]) => {
      const content = contents.get(uid);
      return { kind: "upsert", item, ...(content && { content }) };
    }),
    fetched: heads.map(({ uid }) => [uid, uid]),
  };
}

function itemOf(access: SourceAccess, { listed, validity }: Place, { uid, size, subject }: Head): SourceItem {
  const id = idOf(access, { path: listed.path, validity }, uid);
  return {
    id,
    version: VERSION,
    title: subject,
    address: id,
    path: [...listed.path.split(listed.delimiter || "/"), `${uid}.eml`].join("/"),
    detail: { folder: listed.path, validity, uid, size },
  };
}

/** A mail's address in the form of RFC 5092. */
function idOf(access: SourceAccess, { path, validity }: Pick<Folder, "path" | "validity">, uid: number): string {
  const user = encodeURIComponent(String(access.settings["user"]));
  const folder = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return `imap://${user}@${mailHostOf(access)}/${folder};UIDVALIDITY=${validity}/;UID=${uid}`;
}

function removals(access: SourceAccess, folder: Folder, uids: UidSet): SourceChange[] {
  return [...eachUid(uids)].map((uid) => ({ kind: "remove", id: idOf(access, folder, uid) }));
}

function contentOf({ internalDate }: FetchMessageObject, source: Buffer, folder: string): SourceContent {
  const received = new Date(internalDate ?? "");
  return {
    content: source,
    mimeType: "message/rfc822",
    fileName: "message.eml",
    type: null,
    title: null,
    changedAt: Number.isNaN(received.getTime()) ? null : received.toISOString(),
    metadata: { folder },
  };
}

function folderOf({ uids, ...rest }: z.output<typeof folderSchema>): Folder {
  const read = parseUids(uids);
  if (read === null) throw new CheckpointExpired();
  return { ...rest, uids: read };
}
