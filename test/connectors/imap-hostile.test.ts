import { expect, test } from "vitest";
import { createImapConnector } from "../../src/connectors/imap/imap.js";
import type { SourceAccess } from "../../src/core/ports.js";
import { useCleanups } from "../support/cleanups.js";
import { type MailboxAnswer, type ScriptedMailbox, startMailbox } from "../support/scripted-mailbox.js";
import { itemsOf, pagesOf, sourceAccess } from "../support/source-access.js";

const cleanups = useCleanups();

const connector = createImapConnector();

async function start(
  answers: Readonly<Record<string, MailboxAnswer>>,
): Promise<ScriptedMailbox & { readonly access: SourceAccess }> {
  const mailbox = await startMailbox(answers);
  cleanups.push(() => mailbox.close());
  const metadata = { host: "127.0.0.1", port: mailbox.port, tls: "off", user: "mia", password: "a-password" };
  return { ...mailbox, access: sourceAccess(connector, { metadata }) };
}

/** A mailbox with one folder of three mails. */
const THREE_MAILS = {
  LIST: '* LIST () "/" INBOX\r\n',
  EXAMINE: "* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 4] ok\r\n",
  "UID SEARCH": '* ESEARCH (TAG "x") UID ALL 1:3\r\n',
};
/** The beginnings of the commands that request subjects, and mails. */
const HEADS = "UID FETCH 1:3 (UID RFC822.SIZE";
const MAILS = "UID FETCH 1:3 (UID INTERNALDATE";

function head(uid: number): string {
  const subject = `Subject: Mail ${uid}\r\n\r\n`;
  return `* ${uid} FETCH (UID ${uid} RFC822.SIZE 9 BODY[HEADER.FIELDS (SUBJECT)] {${subject.length}}\r\n${subject})\r\n`;
}

function whole(uid: number, content: Buffer): Buffer {
  const start = `* ${uid} FETCH (UID ${uid} INTERNALDATE "17-Jul-2026 02:44:25 -0700" BODY[] {${content.byteLength}}\r\n`;
  return Buffer.concat([Buffer.from(start), content, Buffer.from(")\r\n")]);
}

/** An endless series of responses. */
function* endless<T>(pieceOf: (at: number) => T): Generator<T> {
  for (let at = 1; ; at += 1) yield pieceOf(at);
}

const SMALL = Buffer.from("Subject: A\r\n\r\nB\r\n");
const STRANGER = /^127\.0\.0\.1 sent an email that was not requested, or the same one twice\.$/;
const TOO_MUCH = /^127\.0\.0\.1 sent more than was requested\.$/;

test.each<[string, string, MailboxAnswer, RegExp]>([
  ["subjects of mails that were not requested", HEADS, () => endless(head), STRANGER],
  ["the same subject repeatedly", HEADS, () => endless(() => head(2)), STRANGER],
  ["mails that were not requested", MAILS, () => endless((uid) => whole(uid, SMALL)), STRANGER],
  ["the same mail repeatedly", MAILS, () => endless(() => whole(1, SMALL)), STRANGER],
  [
    "more bytes than the size of its mails",
    MAILS,
    () => [1, 2, 3].map((uid) => whole(uid, Buffer.alloc(15_000_000))),
    TOO_MUCH,
  ],
  ["endless flags", MAILS, () => endless((uid) => `* ${uid} FETCH (FLAGS (${"a".repeat(500_000)}))\r\n`), TOO_MUCH],
])("a server that answers with %s is disconnected", async (_name, command, answer, message) => {
  const heads = [1, 2, 3].map(head).join("");
  const answers = command === HEADS ? { [HEADS]: answer } : { [HEADS]: heads, [MAILS]: answer };
  const { access, isLeft } = await start({ ...THREE_MAILS, ...answers });
  await expect(pagesOf(connector, access)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(message),
  });
  await isLeft;
});

test("a server that sends another mail than the requested one is disconnected", async () => {
  const { access } = await start({
    ...THREE_MAILS,
    [MAILS]: [1, 2, 3].map((uid) => whole(uid, SMALL)).join(""),
    [HEADS]: [1, 2, 3].map(head).join(""),
    "UID FETCH 1 (": () => endless((uid) => whole(uid + 1, SMALL)),
  });
  const [first] = itemsOf(await pagesOf(connector, access)).values();
  if (!first) throw new Error("Nothing was listed.");
  await expect(connector.read(access, first.item)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(STRANGER),
  });
});

test("flags changed during a run do not end it", async () => {
  const flags = "* 3 FETCH (FLAGS (\\Seen))\r\n* 9 FETCH (UID 9 FLAGS (\\Seen))\r\n";
  const { access } = await start({
    ...THREE_MAILS,
    [HEADS]: [head(1), flags, head(2), head(3)].join(""),
    [MAILS]: [flags, ...[1, 2, 3].map((uid) => whole(uid, SMALL)), flags].join(""),
  });
  const found = [...itemsOf(await pagesOf(connector, access)).values()];
  expect(found.map((change) => [change?.item.title, change?.content === undefined])).toEqual([
    ["Mail 1", false],
    ["Mail 2", false],
    ["Mail 3", false],
  ]);
});

const NAME = "a".repeat(2_000_000);

test.each<[string, MailboxAnswer, RegExp]>([
  [
    "endless folders",
    () => endless((at) => `* LIST () "/" ${at}\r\n`),
    /has more than 5,000 folders, which is the limit\.$/,
  ],
  [
    "6,000 folders",
    Array.from({ length: 6_000 }, (_, at) => `* LIST () "/" ${at}\r\n`).join(""),
    /has more than 5,000 folders/,
  ],
  ["a name of two million letters", `* LIST () "/" "${NAME}"\r\n`, /sent more than was requested|LineTooLarge/],
  ["a name of two million bytes", `* LIST () "/" {${NAME.length}}\r\n${NAME}\r\n`, TOO_MUCH],
  ["an endless line", () => endless(() => NAME), /sent more than was requested|LineTooLarge/],
  ["a folder with 20,000 flags", `* LIST (${"\\a ".repeat(20_000)}) "/" INBOX\r\n`, /TooManyTokens/],
])("a server that lists %s is disconnected", async (_name, answer, message) => {
  const { access, isLeft } = await start({ LIST: answer });
  await expect(connector.check(access)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(message),
  });
  await isLeft;
});

test("a folder of 200,000 mails is compared in parts, and new mails are imported", async () => {
  const uidOf = (at: number): number => 2_000_000_000 + 2 * at;
  const all = Array.from({ length: 200_000 }, (_, at) => uidOf(at + 1));
  const { access, asked } = await start({
    LIST: THREE_MAILS.LIST,
    STATUS: "* STATUS INBOX (MESSAGES 200000 UIDNEXT 2000400001 UIDVALIDITY 7)\r\n",
    EXAMINE: "* 200000 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 2000400001] ok\r\n",
    "UID SEARCH": (command) => {
      const [, first = 0, last = 0] = (/(\d+):(\d+)/.exec(command) ?? []).map(Number);
      return [`* ESEARCH (TAG "x") UID ALL ${all.slice(first - 1, last).join(",")}\r\n`];
    },
    "UID FETCH": head(uidOf(200_000)),
  });
  const folders = [{ path: "INBOX", validity: "7", next: 1, uids: all.slice(0, -1).join(",") }];
  const pages = await pagesOf(connector, access, { checkpoint: { phase: "changes", folders } });
  expect([...itemsOf(pages).values()].map((change) => change?.item.title)).toEqual([`Mail ${uidOf(200_000)}`]);
  expect(asked.filter((command) => command.startsWith("UID SEARCH"))).toHaveLength(4);
});

test("a folder with more mails than can be followed is reported as such", async () => {
  const { access } = await start({
    ...THREE_MAILS,
    EXAMINE: "* 1000001 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 1000002] ok\r\n",
  });
  await expect(pagesOf(connector, access)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(/more than 1,000,000 emails, which is the limit\.$/),
  });
});

test("a server that claims four billion mails ends the run, without enumerating them", async () => {
  const { access } = await start({
    LIST: '* LIST () "/" INBOX\r\n',
    EXAMINE: "* 2 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 9] ok\r\n",
    "UID SEARCH": '* ESEARCH (TAG "x") UID ALL 1:4294967295\r\n',
  });
  await expect(pagesOf(connector, access)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(/lists more emails than it says it has/),
  });
});

test("the first run does not take a folder that claims mails but lists none for an empty one", async () => {
  const { access } = await start({
    LIST: '* LIST () "/" INBOX\r\n',
    EXAMINE: "* 8 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 10] ok\r\n",
    "UID SEARCH": '* ESEARCH (TAG "x") UID\r\n',
  });
  await expect(pagesOf(connector, access)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(/lists fewer emails than it says it has/),
  });
});

test("a mail missing from a response is requested again by the next run", async () => {
  const { access } = await start({
    LIST: '* LIST () "/" INBOX\r\n',
    EXAMINE: "* 2 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 3] ok\r\n",
    STATUS: "* STATUS INBOX (MESSAGES 2 UIDNEXT 3 UIDVALIDITY 7)\r\n",
    "UID SEARCH": '* ESEARCH (TAG "x") UID ALL 1:2\r\n',
    "UID FETCH": head(1),
  });
  const pages = await pagesOf(connector, access);
  expect(pages.at(-1)?.checkpoint).toMatchObject({ folders: [{ uids: "1" }] });
});

test("a folder that claims mails but lists none removes nothing", async () => {
  const { access } = await start({
    LIST: '* LIST () "/" INBOX\r\n',
    STATUS: "* STATUS INBOX (MESSAGES 8 UIDNEXT 10 UIDVALIDITY 7)\r\n",
    EXAMINE: "* 8 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 10] ok\r\n",
    "UID SEARCH": '* ESEARCH (TAG "x") UID\r\n',
  });
  const folders = [{ path: "INBOX", validity: "7", next: 9, uids: "1:8" }];
  await expect(pagesOf(connector, access, { checkpoint: { phase: "changes", folders } })).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(/lists fewer emails than it says it has/),
  });
});

test("a mailbox that lists no folder removes nothing", async () => {
  const { access } = await start({});
  const folders = [{ path: "INBOX", validity: "7", next: 9, uids: "1:8" }];
  await expect(pagesOf(connector, access, { checkpoint: { phase: "changes", folders } })).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(/lists no folder/),
  });
});
