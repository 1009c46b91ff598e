import { createImapConnector } from "../../../src/connectors/imap/imap.js";
import { sleep } from "../../../src/lib/time.js";
import { DOVECOT, MAIL_PASSWORD, MAIL_USER, startDovecot } from "../dovecot.js";
import type { FollowedEntry, FollowedProvider, FollowedSource } from "../followed-source.js";
import { startImapRelay } from "../imap-relay.js";

const BIN = "Trash";
/** Mails per page, which are fetched while they are listed. */
const PAGE = 50;

/** The place of a mail, from its id. */
function placeOf(id: string): { readonly folder: string; readonly uid: number } {
  const [, folder = "", uid = ""] = /^imap:\/\/[^/]+\/(.+);UIDVALIDITY=\d+\/;UID=(\d+)$/.exec(id) ?? [];
  return { folder: folder.split("/").map(decodeURIComponent).join("/"), uid: Number(uid) };
}

/** A mailbox of several folders, which are renamed and recreated; mails move between them, into the bin and back. */
async function start(): Promise<FollowedSource> {
  const dovecot = await startDovecot(DOVECOT ?? "");
  const { client } = dovecot;
  const relay = await startImapRelay(dovecot.port);
  const folders = ["INBOX", "Archive", "Projects/Häuser"];
  await client.mailboxCreate("Projects/Häuser");
  let made = 0;
  const validityOf = async (folder: string): Promise<string> => {
    const status = await client.status(folder, { uidValidity: true });
    return status === false ? "" : String(status.uidValidity);
  };
  const idOf = async (folder: string, uid: number): Promise<string> => {
    const path = folder.split("/").map(encodeURIComponent).join("/");
    return `imap://${MAIL_USER}@localhost/${path};UIDVALIDITY=${await validityOf(folder)}/;UID=${uid}`;
  };
  const put = async (folder: string, subject: string, text: string): Promise<string> => {
    const head = ["From: Tom Rau <tom@example.com>", "To: mia@example.com", `Subject: ${subject}`];
    const lines = [...head, "Date: Tue, 03 Mar 2026 10:00:00 +0000", "MIME-Version: 1.0", "", text, ""];
    const appended = await client.append(folder, lines.join("\r\n"));
    if (appended === false || appended.uid === undefined) throw new Error("The mail was not put there.");
    return idOf(folder, appended.uid);
  };
  /** @returns its new id, which is also recorded for a mail moved to the bin */
  const move = async ({ id }: FollowedEntry, target: string): Promise<string> => {
    const { folder, uid } = placeOf(id);
    if (folder === target) return id;
    const lock = await client.getMailboxLock(folder);
    try {
      const moved = await client.messageMove(String(uid), target, { uid: true });
      const next = moved === false ? undefined : moved.uidMap?.get(uid);
      if (next === undefined) throw new Error("The mail was not moved.");
      return await idOf(target, next);
    } finally {
      lock.release();
    }
  };
  const isIn = (folder: string) => (entry: FollowedEntry) => placeOf(entry.id).folder === folder;
  const picked = (entries: readonly FollowedEntry[], pick: number) => entries[pick % Math.max(1, entries.length)];
  return {
    connector: createImapConnector(),
    metadata: { host: "localhost", port: relay.port, tls: "off", user: MAIL_USER, password: MAIL_PASSWORD },
    put: (name, text) => put(folders[(made += 1) % folders.length] ?? "", name, text),
    async edit(entry, text) {
      // As programs edit drafts and notes.
      const { folder, uid } = placeOf(entry.id);
      const id = await put(folder, entry.name, text);
      const lock = await client.getMailboxLock(folder);
      await client.messageDelete(String(uid), { uid: true });
      lock.release();
      return id;
    },
    async remove(entry) {
      entry.id = await move(entry, BIN);
    },
    async restore(entry) {
      entry.id = await move(entry, folders[(made += 1) % folders.length] ?? "");
      return true;
    },
    events: [
      async (pick, entries) => {
        const entry = picked(
          entries.filter(({ isThere }) => isThere),
          pick,
        );
        if (entry) entry.id = await move(entry, folders[pick % folders.length] ?? "");
      },
      async (pick, entries) => {
        const entry = picked(
          entries.filter(({ isThere }) => isThere),
          pick,
        );
        if (!entry) return;
        const { folder, uid } = placeOf(entry.id);
        const lock = await client.getMailboxLock(folder);
        await client.messageFlagsAdd(String(uid), ["\\Seen"], { uid: true });
        lock.release();
      },
      async (pick, entries) => {
        const at = 2;
        const [from = "", to] = [folders[at], `Projects/Häuser ${pick}`];
        if (from === to) return;
        const inside = entries.filter(isIn(from));
        await client.mailboxClose();
        await client.mailboxRename(from, to);
        // As mail programs do.
        await client.mailboxSubscribe(to);
        folders[at] = to;
        for (const entry of inside) entry.id = await idOf(to, placeOf(entry.id).uid);
      },
      async (_pick, entries) => {
        // The same folder with another UIDVALIDITY, which is the time in seconds.
        const folder = folders[2] ?? "";
        const inside = entries.filter(isIn(folder));
        for (const entry of inside) entry.id = await move(entry, "INBOX");
        await client.mailboxClose();
        await client.mailboxDelete(folder);
        await sleep(1_100);
        await client.mailboxCreate(folder);
        for (const entry of inside) entry.id = await move(entry, folder);
      },
    ],
    titleOf: ({ name }) => name,
    fail: (fault, after) => relay.fail(fault, after),
    heal: () => relay.heal(),
    requests: () => relay.commands(),
    // The folders with their states in one response.
    least: () => 1,
    async close() {
      await relay.close();
      await dovecot.close();
    },
  };
}

export const IMAP: FollowedProvider = {
  provider: "imap",
  ...(DOVECOT === undefined && { missing: "the package dovecot-imapd is not installed" }),
  nameOf: (count) => `Note ${count}`,
  readAhead: PAGE,
  start,
};
