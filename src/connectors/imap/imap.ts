import type { FetchMessageObject, ImapFlow, ListResponse } from "imapflow";
import * as z from "zod";
import { CheckpointExpired, ItemGone, ItemTooLarge, readCheckpoint } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { ChangePage, Connector, SourceAccess, SourceChange, SourceContent, SourceItem } from "../../core/ports.js";
import { foldersOf, hostOf, type ImapOptions, withMailbox } from "./mailbox-client.js";
import { addUids, countUids, eachUid, formatUids, parseUids, type UidSet, uidPieces, withoutUids } from "./uid-set.js";

/** Mails of a page. */
const PAGE = 50;
/** Removals of a page. */
const REMOVALS = 500;
/** Bytes of mails that a page holds together; what is beyond is read one by one. */
const MOST_BYTES = 16 * 1024 * 1024;
/** A mail never changes: what is edited is another one. */
const VERSION = "1";

const fields = z.object({
  host: z
    .string()
    .trim()
    .regex(/^[\w.:[\]-]{1,253}$/, "must be the name of a host, such as imap.example.com"),
  port: z.coerce.number("must be a port").int("must be a port").min(1).max(65_535).optional(),
  tls: z
    .enum(["on", "starttls", "off"], "must be on, starttls or off")
    .default("on")
    .describe("off sends the password in the clear: only for a server of your own network"),
  user: z.string().trim().min(1, "must be the name that one signs in with"),
  password: z.string().min(1, "must be the password, where the provider has them one that is made for an app"),
  folders: z
    .string()
    .max(4_000)
    .optional()
    .describe("Names with commas between them; without it all but bin, junk and drafts"),
});

const folderSchema = z.object({
  path: z.string(),
  validity: z.string(),
  next: z.number(),
  /** Mails that were brought in, as a sequence set. */
  uids: z.string(),
});
const checkpointSchema = z.object({ phase: z.enum(["listing", "changes"]), folders: z.array(folderSchema) });
const detailSchema = z.object({
  folder: z.string(),
  validity: z.string(),
  uid: z.number(),
  size: z.number(),
});

/** A folder as it was left, with the mails of it that were brought in. */
interface Folder {
  readonly path: string;
  readonly validity: string;
  readonly next: number;
  readonly uids: UidSet;
}

/**
 * The mails of a mailbox over IMAP (RFC 3501 and 9051). A mail is known by its folder, the folder's UIDVALIDITY and its UID
 * there. Since mails never change, a folder with the same UIDNEXT and the same count has the same mails; of others, the UIDs are
 * compared with those of the checkpoint. So deletions are found on every server, with or without CONDSTORE and QRESYNC.
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
      await firstOf(withMailbox(access, options, (client) => once(foldersOf(client, access))));
      return { account: String(access.settings["user"]) };
    },

    changes(access, checkpoint) {
      const from = checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint);
      return withMailbox(access, options, (client) => follow(client, access, from));
    },

    async read(access, item) {
      const { folder, validity, uid, size } = detailSchema.parse(item.detail);
      if (size > access.maximumBytes) throw new ItemTooLarge("The mail", size, access.maximumBytes);
      const mail = await firstOf(
        withMailbox(access, options, (client) => once(fetchOne(client, { folder, validity, uid }))),
      );
      if (!mail?.source) throw new ItemGone("The mail is not in its folder any more.");
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
  client: ImapFlow,
  { folder, validity, uid }: Omit<z.output<typeof detailSchema>, "size">,
): Promise<FetchMessageObject | null> {
  const found = (await client.list({ listOnly: true })).some(({ path }) => path === folder);
  if (!found) return null;
  const opened = await client.mailboxOpen(folder, { readOnly: true });
  if (String(opened.uidValidity) !== validity) return null;
  const mail = await client.fetchOne(String(uid), { uid: true, internalDate: true, source: true }, { uid: true });
  return mail === false ? null : mail;
}

async function* follow(
  client: ImapFlow,
  access: SourceAccess,
  checkpoint: z.output<typeof checkpointSchema> | null,
): AsyncGenerator<ChangePage> {
  const phase = checkpoint?.phase ?? "listing";
  const kept = new Map((checkpoint?.folders ?? []).map((one) => [one.path, folderOf(one)]));
  const found = await foldersOf(client, access);
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
    if (before && (await isSame(client, before))) continue;
    for await (const step of compare(client, access, listed, before)) {
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

/** @throws CheckpointExpired where the folder has other UIDs by now */
async function isSame(client: ImapFlow, { path: mailbox, validity, next, uids }: Folder): Promise<boolean> {
  const status = await client.status(mailbox, { messages: true, uidNext: true, uidValidity: true });
  if (status === false) throw new AppError("unavailable", `The folder ${mailbox} was not read: its state was refused.`);
  if (status.uidValidity !== undefined && String(status.uidValidity) !== validity) throw new CheckpointExpired();
  return status.uidNext === next && status.messages === countUids(uids);
}

/** A part of the work on a folder: the items, and what is known of the folder once they are brought in. */
interface Step {
  readonly folder: Folder;
  readonly items: readonly SourceChange[];
}

async function* compare(
  client: ImapFlow,
  access: SourceAccess,
  listed: ListResponse,
  before: Folder | undefined,
): AsyncGenerator<Step> {
  const { path: mailbox } = listed;
  const opened = await client.mailboxOpen(mailbox, { readOnly: true });
  const validity = String(opened.uidValidity);
  if (before && before.validity !== validity) throw new CheckpointExpired();
  const present = await searchAll(client, mailbox);
  if (countUids(present) > opened.exists + PAGE)
    throw new AppError("unavailable", `The folder ${mailbox} was not read: it names more mails than it says it has.`);
  const gone = withoutUids(before?.uids ?? [], present);
  // By now, less what was removed meanwhile. One that has come meanwhile is looked for again.
  const exists = client.mailbox === false ? opened.exists : client.mailbox.exists;
  const least = countUids(gone) > 0 ? exists : Math.min(opened.exists, exists);
  if (countUids(present) < least)
    throw new AppError("unavailable", `The folder ${mailbox} was not read: it names fewer mails than it says it has.`);
  const next = opened.uidNext ?? 0;
  let folder: Folder = { path: mailbox, validity, next: before?.next ?? 0, uids: before?.uids ?? [] };
  const fresh = withoutUids(present, folder.uids);
  for (const piece of uidPieces(gone, REMOVALS)) {
    folder = { ...folder, uids: withoutUids(folder.uids, piece) };
    yield { folder, items: removals(access, folder, piece) };
  }
  for (const piece of uidPieces(fresh, PAGE)) {
    const { items, fetched } = await fetchPiece(client, access, { listed, validity }, piece);
    // What the server left out is asked for again by the next run, where it is still there.
    folder = { ...folder, uids: addUids(folder.uids, fetched) };
    yield { folder, items };
  }
  yield { folder: { ...folder, next }, items: [] };
}

async function searchAll(client: ImapFlow, mailbox: string): Promise<UidSet> {
  const found = await client.search({ all: true }, { uid: true, returnOptions: ["ALL"] });
  const text = Array.isArray(found) ? found.join(",") : found ? (found.all ?? "") : null;
  const uids = text === null ? null : parseUids(text);
  if (uids === null)
    throw new AppError("unavailable", `The folder ${mailbox} was not read: it does not tell its mails.`);
  return uids;
}

interface Place {
  readonly listed: ListResponse;
  readonly validity: string;
}

/** The mails of a piece, those that are not known yet with what they hold. */
async function fetchPiece(
  client: ImapFlow,
  access: SourceAccess,
  place: Place,
  piece: UidSet,
): Promise<{ readonly items: readonly SourceChange[]; readonly fetched: UidSet }> {
  const headers = await client.fetchAll(formatUids(piece), { uid: true, size: true, envelope: true }, { uid: true });
  const items = headers.map((mail) => itemOf(access, place, mail));
  const wanted: number[] = [];
  let bytes = 0;
  for (const [at, { id, version }] of items.entries()) {
    const { uid = 0, size = 0 } = headers[at] ?? {};
    bytes += size;
    if (bytes > Math.min(MOST_BYTES, access.maximumBytes)) break;
    if ((await access.known(id))?.version !== version) wanted.push(uid);
  }
  const query = { uid: true, internalDate: true, source: true };
  const mails = wanted.length === 0 ? [] : await client.fetchAll(wanted.join(","), query, { uid: true });
  const { path } = place.listed;
  const contents = new Map(
    mails.flatMap((mail) => (mail.source ? [[mail.uid, contentOf(mail, mail.source, path)]] : [])),
  );
  return {
    items: items.map((item, at) => {
      const content = contents.get(headers[at]?.uid ?? 0);
      return { kind: "upsert", item, ...(content && { content }) };
    }),
    fetched: headers.map(({ uid }) => [uid, uid]),
  };
}

function itemOf(access: SourceAccess, { listed, validity }: Place, mail: FetchMessageObject): SourceItem {
  const { uid, size = 0, envelope } = mail;
  const subject = envelope?.subject?.trim() ?? "";
  const id = idOf(access, { path: listed.path, validity }, uid);
  return {
    id,
    version: VERSION,
    title: subject === "" ? null : subject,
    address: id,
    path: [...listed.path.split(listed.delimiter || "/"), `${uid}.eml`].join("/"),
    detail: { folder: listed.path, validity, uid, size },
  };
}

/** As RFC 5092 writes the address of a mail. */
function idOf(access: SourceAccess, { path, validity }: Pick<Folder, "path" | "validity">, uid: number): string {
  const user = encodeURIComponent(String(access.settings["user"]));
  const folder = path.split("/").map(encodeURIComponent).join("/");
  return `imap://${user}@${hostOf(access)}/${folder};UIDVALIDITY=${validity}/;UID=${uid}`;
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
