import { describe, expect, test } from "vitest";
import {
  CheckpointExpired,
  ItemGone,
  ItemSkipped,
  SignInRefused,
} from "../../src/core/connections/connector-errors.js";
import type { SourceAccess } from "../../src/core/ports.js";
import { createImapConnector } from "../../src/connectors/imap/imap.js";
import { sleep } from "../../src/lib/time.js";
import { useCleanups } from "../support/cleanups.js";
import { connect, lastRun } from "../support/connection.js";
import { DOVECOT, type Dovecot, MAIL_PASSWORD, MAIL_USER, startDovecot } from "../support/dovecot.js";
import { itemsOf, pagesOf, sourceAccess } from "../support/source-access.js";

const cleanups = useCleanups();

async function start(capabilities?: string): Promise<Dovecot> {
  const server = await startDovecot(DOVECOT ?? "", capabilities);
  cleanups.push(() => server.close());
  return server;
}

function mail(subject: string, text: string): string {
  const lines = ["From: Tom Rau <tom@example.com>", "To: mia@example.com", `Subject: ${subject}`];
  return [...lines, "Date: Tue, 03 Mar 2026 10:00:00 +0000", "MIME-Version: 1.0", "", text, ""].join("\r\n");
}

/** @returns the UIDs of the added mails */
async function put({ client }: Dovecot, folder: string, ...subjects: readonly string[]): Promise<number[]> {
  const uids: number[] = [];
  for (const subject of subjects) {
    const made = await client.append(folder, mail(subject, `What was said about ${subject}.`));
    if (made === false || made.uid === undefined) throw new Error("The mail was not put there.");
    uids.push(made.uid);
  }
  return uids;
}

async function remove({ client }: Dovecot, folder: string, uids: readonly number[]): Promise<void> {
  await client.mailboxOpen(folder);
  await client.messageDelete(uids.join(","), { uid: true });
}

const settingsOf = ({ port }: Dovecot) =>
  ({ host: "localhost", port, tls: "off", user: MAIL_USER, password: MAIL_PASSWORD }) as const;
const connector = createImapConnector();

function accessTo(server: Dovecot, options: Parameters<typeof sourceAccess>[1] = {}): SourceAccess {
  return sourceAccess(connector, { ...options, metadata: { ...settingsOf(server), ...options.metadata } });
}

async function subjects(access: SourceAccess, checkpoint: unknown = null) {
  const pages = await pagesOf(connector, access, { checkpoint });
  const found = [...itemsOf(pages).values()];
  return {
    brought: found.flatMap((change) => change?.item.title ?? []).toSorted(),
    removed: found.filter((change) => change === null).length,
    checkpoint: pages.at(-1)?.checkpoint,
    kinds: [...new Set(pages.map(({ kind }) => kind))],
  };
}

describe.skipIf(DOVECOT === undefined)("with dovecot (the package dovecot-imapd)", () => {
  test("mails are imported with subject, text and folder; later runs add new ones and remove deleted ones", async () => {
    const server = await start();
    const [first = 0] = await put(server, "INBOX", "The mill", "The weir");
    await put(server, "Archive", "The old bridge");
    await put(server, "Trash", "Thrown away");
    const connected = await connect({ provider: "imap", metadata: settingsOf(server) });
    cleanups.push(() => connected.close());
    expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", listed: 3, read: 3 });
    const texts = await connected.texts();
    expect(Object.keys(texts).toSorted()).toEqual(["The mill", "The old bridge", "The weir"]);
    expect(texts["The mill"]).toContain("What was said about The mill");
    const { documents } = await connected.core.listDocuments({ actor: connected.actor }, { limit: 10 });
    expect(documents.find(({ title }) => title === "The mill")).toMatchObject({
      metadata: { folder: "INBOX", sm_source: "imap" },
      customId: expect.stringMatching(/^imap:\/\/mia@localhost\/INBOX;UIDVALIDITY=\d+\/;UID=1$/),
    });
    expect(await connected.sync()).toMatchObject({ status: "done", listed: 0, read: 0, removed: 0 });
    await put(server, "INBOX", "The sluice");
    await remove(server, "INBOX", [first]);
    expect(await connected.sync()).toMatchObject({ status: "done", read: 1, removed: 1 });
    expect(Object.keys(await connected.texts()).toSorted()).toEqual(["The old bridge", "The sluice", "The weir"]);
    const connection = await connected.core.findConnection({ actor: connected.actor }, { id: connected.id });
    expect(connection).toMatchObject({ account: MAIL_USER });
    expect(JSON.stringify(connection)).not.toContain(MAIL_PASSWORD);
  });

  test.each([
    ["all its capabilities", undefined],
    ["only IMAP4rev1", "IMAP4rev1"],
  ])("a server that announces %s is followed all the same", async (_name, capabilities) => {
    const server = await start(capabilities);
    const uids = await put(server, "INBOX", "A", "B", "C", "D");
    const access = accessTo(server);
    const first = await subjects(access);
    expect(first).toMatchObject({ brought: ["A", "B", "C", "D"], removed: 0, kinds: ["listing"] });
    expect(await subjects(access, first.checkpoint)).toMatchObject({ brought: [], removed: 0, kinds: ["changes"] });
    await remove(server, "INBOX", uids.slice(1, 3));
    await put(server, "INBOX", "E");
    const second = await subjects(access, first.checkpoint);
    expect(second).toMatchObject({ brought: ["E"], removed: 2, kinds: ["changes"] });
    await server.client.messageFlagsAdd("1:*", ["\\Seen"], { uid: true });
    expect(await subjects(access, second.checkpoint)).toMatchObject({ brought: [], removed: 0 });
  });

  test("a mail moved to another folder is removed and imported there", async () => {
    const server = await start();
    const [uid = 0] = await put(server, "INBOX", "The mill");
    const { checkpoint } = await subjects(accessTo(server));
    await server.client.mailboxOpen("INBOX");
    await server.client.messageMove(String(uid), "Archive", { uid: true });
    expect(await subjects(accessTo(server), checkpoint)).toMatchObject({ brought: ["The mill"], removed: 1 });
  });

  test("folders can be named; a missing one is refused, with the existing ones listed", async () => {
    const server = await start();
    await server.client.mailboxCreate("Projects/Häuser");
    await put(server, "INBOX", "Not this");
    await put(server, "Projects/Häuser", "This one");
    const named = accessTo(server, { metadata: { folders: "Archive, Projects/Häuser" } });
    const pages = await pagesOf(connector, named);
    expect([...itemsOf(pages).values()].map((change) => change?.item)).toMatchObject([
      { title: "This one", path: "Projects/Häuser/1.eml" },
    ]);
    await expect(connector.check(accessTo(server, { metadata: { folders: "Nowhere" } }))).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(/no folder Nowhere\. It has: .*INBOX/),
    });
  });

  test("a deleted folder takes its mails along, and a new one is imported", async () => {
    const server = await start();
    await put(server, "INBOX", "Kept");
    await server.client.mailboxCreate("Lists");
    await put(server, "Lists", "One", "Two");
    const access = accessTo(server);
    const { checkpoint } = await subjects(access);
    await server.client.mailboxDelete("Lists");
    await server.client.mailboxCreate("Plans");
    await put(server, "Plans", "Three");
    expect(await subjects(access, checkpoint)).toMatchObject({ brought: ["Three"], removed: 2 });
  });

  test("a new UIDVALIDITY causes a new listing", async () => {
    const server = await start();
    await server.client.mailboxCreate("Lists");
    await put(server, "Lists", "One");
    const access = accessTo(server);
    const { checkpoint } = await subjects(access);
    const [before] = itemsOf(await pagesOf(connector, access)).values();
    await server.client.mailboxDelete("Lists");
    // A folder's UIDVALIDITY is the time in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await server.client.mailboxCreate("Lists");
    await put(server, "Lists", "Another one");
    await expect(pagesOf(connector, access, { checkpoint })).rejects.toBeInstanceOf(CheckpointExpired);
    if (!before) throw new Error("Nothing was listed.");
    await expect(connector.read(access, before.item)).rejects.toBeInstanceOf(ItemGone);
  });

  test("a listing stopped after each page lists every mail once, including arrivals meanwhile", async () => {
    const server = await start();
    const names = Array.from({ length: 120 }, (_, index) => `Mail ${index}`);
    await put(server, "INBOX", ...names);
    await put(server, "Archive", "In the archive");
    const access = accessTo(server);
    const pages = await pagesOf(connector, access, { stops: true });
    expect(pages.map(({ isFirst }) => isFirst)).toEqual([true, ...pages.slice(1).map(() => false)]);
    expect(new Set(pages.map(({ kind }) => kind))).toEqual(new Set(["listing"]));
    const found = pages.flatMap(({ items }) => items.map((one) => (one.kind === "upsert" ? one.item.title : null)));
    const inOrder = (one: string | null, other: string | null) => String(one).localeCompare(String(other));
    expect(found.toSorted(inOrder)).toEqual([...names, "In the archive"].toSorted(inOrder));
    const first = pages.find(({ items }) => items.length === 50);
    await put(server, "INBOX", "Late");
    const rest = await subjects(access, first?.checkpoint);
    expect(rest.brought).toHaveLength(122 - (first?.items.length ?? 0));
    expect(rest.brought).toContain("Late");
  });

  test("known mails are not requested again, and mails too large are skipped with a reason", async () => {
    const server = await start();
    await put(server, "INBOX", "Known");
    await server.client.append("INBOX", mail("Large", "x".repeat(20_000)));
    const known: SourceAccess["known"] = (id) => Promise.resolve(id.endsWith("UID=1") ? { version: "1" } : null);
    const access = accessTo(server, { known, maximumBytes: 10_000 });
    const changes = [...itemsOf(await pagesOf(connector, access)).values()];
    expect(changes.map((change) => [change?.item.title, change?.content])).toEqual([
      ["Known", undefined],
      ["Large", undefined],
    ]);
    const [small, large] = changes;
    if (!small || !large) throw new Error("Nothing was listed.");
    await expect(connector.read(access, large.item)).rejects.toThrow(ItemSkipped);
    expect(await connector.read(access, small.item)).toMatchObject({
      mimeType: "message/rfc822",
      fileName: "message.eml",
      metadata: { folder: "INBOX" },
    });
    await remove(server, "INBOX", [1]);
    await expect(connector.read(access, small.item)).rejects.toBeInstanceOf(ItemGone);
  });

  test("a mail to thousands of recipients does not end the run", async () => {
    const server = await start();
    const people = Array.from({ length: 4_000 }, (_, at) => `a${at}@example.com`).join(",\r\n ");
    await server.client.append("INBOX", mail("To all", "Hello.").replace("mia@example.com", people));
    expect(await subjects(accessTo(server))).toMatchObject({ brought: ["To all"] });
  });

  test("subjects are decoded, and endless ones are shortened", async () => {
    const server = await start();
    await put(server, "INBOX", "=?utf-8?Q?M=C3=BChle?= am Bach", "x".repeat(20_000), " ");
    const [first, second, third] = [...itemsOf(await pagesOf(connector, accessTo(server))).values()];
    expect(first?.item.title).toBe("Mühle am Bach");
    expect(second?.item.title?.length).toBeLessThan(10_000);
    expect(third?.item.title).toBe(null);
  });

  test("a wrong password is refused, and not shown", async () => {
    const server = await start();
    const access = accessTo(server, { metadata: { password: "another-password" } });
    const refused = connector.check(access);
    await expect(refused).rejects.toBeInstanceOf(SignInRefused);
    await expect(refused).rejects.not.toThrow(/another-password/);
  });

  test("with TLS the certificate must be trusted and match the host name", async () => {
    const server = await start();
    await put(server, "INBOX", "Sealed");
    const trusting = createImapConnector({ ca: server.certificate });
    const at = (metadata: Readonly<Record<string, string | number>>) => accessTo(server, { metadata });
    for (const access of [at({ tls: "on", port: server.tlsPort }), at({ tls: "starttls" })]) {
      expect(await trusting.check(access)).toEqual({ account: MAIL_USER });
      expect(itemsOf(await pagesOf(trusting, access)).size).toBe(1);
      await expect(connector.check(access)).rejects.toMatchObject({ kind: "invalid" });
    }
    const byNumber = at({ tls: "on", port: server.tlsPort, host: "127.0.0.1" });
    await expect(trusting.check(byNumber)).rejects.toMatchObject({ kind: "invalid" });
  });

  test("a host in a private network is refused unless the owner allowed it", async () => {
    const server = await start();
    const settings = { RECOLLECT_FETCH_ALLOW: "" };
    await expect(connect({ provider: "imap", metadata: settingsOf(server), settings })).rejects.toThrow(
      /private network/,
    );
  });
});

test.skipIf(DOVECOT === undefined)(
  "a page that takes longer to process than the silence limit does not end the run",
  async () => {
    const server = await start();
    await put(server, "INBOX", ...Array.from({ length: 60 }, (_, at) => `${at}`));
    const patient = createImapConnector({ silenceMs: 1_000 });
    const texts = new Set<string>();
    for await (const { items } of patient.changes(accessTo(server), null)) {
      for (const change of items) if (change.kind === "upsert") texts.add(change.item.id);
      if (items.length === 50) await sleep(2_500);
    }
    expect(texts.size).toBe(60);
  },
);
