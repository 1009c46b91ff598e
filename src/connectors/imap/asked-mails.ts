import type { FetchMessageObject, FetchQueryObject } from "imapflow";
import { AppError } from "../../core/errors.js";
import { loadOnce } from "../../lib/load-once.js";
import { LONGEST_LINE, type Mailbox } from "./mailbox-client.js";
import { countUids, eachUid, formatUids, type UidSet } from "./uid-set.js";

/** Of a subject; the rest is cut off. */
const LONGEST_SUBJECT = 8 * 1024;

const loadParser = loadOnce(() => import("postal-mime"));

/** What is known of a mail before it is read. */
export interface Head {
  readonly uid: number;
  /** 0 where the server does not say. */
  readonly size: number;
  readonly subject: string | null;
}

/** The mails of a set that still exist. @throws AppError `unavailable` for a server that answers with other mails */
export async function headsOf(mailbox: Mailbox, uids: UidSet): Promise<Head[]> {
  const heads: Head[] = [];
  // Only the subject: the sender of a mail decides how long its envelope is.
  const query = { uid: true, size: true, headers: ["subject"] };
  for await (const { uid, size = 0, headers } of answers(mailbox, uids, query, countUids(uids) * LONGEST_LINE))
    heads.push({ uid, size, subject: headers ? await subjectOf(headers) : null });
  return heads;
}

/** As `headsOf`, with their content, limited to this many bytes in total. */
export function sourcesOf(
  mailbox: Mailbox,
  uids: UidSet,
  mostBytes: number,
): AsyncGenerator<FetchMessageObject, void, undefined> {
  return answers(mailbox, uids, { uid: true, internalDate: true, source: true }, mostBytes + LONGEST_LINE);
}

/** As they arrive, so that unrequested mails are not kept. */
async function* answers(
  { client, meter, host }: Mailbox,
  uids: UidSet,
  query: FetchQueryObject,
  bytes: number,
): AsyncGenerator<FetchMessageObject, void, undefined> {
  const left = new Set(eachUid(uids));
  meter.allow({ bytes });
  for await (const mail of client.fetch(formatUids(uids), query, { uid: true })) {
    // A server may interject changed flags of any mail.
    if ((query.source ? mail.source : mail.headers) === undefined) continue;
    if (!left.delete(mail.uid)) {
      client.close();
      throw new AppError("unavailable", `${host} sent an email that was not requested, or the same one twice.`);
    }
    yield mail;
  }
}

async function subjectOf(headers: Buffer): Promise<string | null> {
  const { default: PostalMime } = await loadParser();
  const { subject = "" } = await PostalMime.parse(headers.subarray(0, LONGEST_SUBJECT));
  return subject.trim() || null;
}
