import type { MailboxObject, SearchObject } from "imapflow";
import { AppError } from "../../core/errors.js";
import { LONGEST_LINE, type Mailbox } from "./mailbox-client.js";
import { addUids, countUids, parseUids, type UidSet } from "./uid-set.js";

/** Mails whose UIDs always fit into one line, however long they are. */
const MOST_AT_ONCE = 50_000;
const MOST_MAILS = 1_000_000;
/** Mails that may arrive between two commands. */
const NEWCOMERS = 50;

/** The mails of the open folder. @throws AppError `unavailable` for an answer that cannot be right */
export async function presentMails(mailbox: Mailbox, { path, exists }: MailboxObject): Promise<UidSet> {
  if (exists > MOST_MAILS)
    throw unreadFolder(path, `it has more than ${MOST_MAILS.toLocaleString("en")} emails, which is the limit`);
  if (exists <= MOST_AT_ONCE) return search(mailbox, path, { all: true }, exists + NEWCOMERS);
  const { client } = mailbox;
  let found: UidSet = [];
  // Removals renumber mails, so some may be left out: the caller notices by counting.
  const last = (): number => (client.mailbox === false ? 0 : Math.min(exists, client.mailbox.exists));
  for (let first = 1; first <= last(); first += MOST_AT_ONCE) {
    const seq = `${first}:${Math.min(first + MOST_AT_ONCE - 1, last())}`;
    found = addUids(found, await search(mailbox, path, { seq }, MOST_AT_ONCE));
  }
  return found;
}

async function search({ client, meter }: Mailbox, path: string, query: SearchObject, most: number): Promise<UidSet> {
  meter.allow({ bytes: 2 * LONGEST_LINE });
  const found = await client.search(query, { uid: true, returnOptions: ["ALL"] });
  const text = Array.isArray(found) ? found.join(",") : found ? (found.all ?? "") : null;
  const uids = text === null ? null : parseUids(text);
  if (uids === null) throw unreadFolder(path, "it does not list its emails");
  if (countUids(uids) > most) throw unreadFolder(path, "it lists more emails than it says it has");
  return uids;
}

/** Why a folder could not be read; it is retried. */
export function unreadFolder(mailbox: string, why: string): AppError {
  return new AppError("unavailable", `The folder ${mailbox} was not read: ${why}.`);
}
