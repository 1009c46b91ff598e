import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGmailConnector } from "../../src/connectors/google/gmail/gmail.js";
import { ItemGone, SignInRefused } from "../../src/core/connections/connector-errors.js";
import type { SourceAccess, SourceContent } from "../../src/core/ports.js";
import { extractMailbox } from "../../src/extractors/mail/mailbox.js";
import { extractionTools } from "../support/extraction-tools.js";
import { type MirroredSource, mirrorSource } from "../support/mirrored-source.js";
import { type ScriptedGmail, startScriptedGmail } from "../support/scripted-gmail.js";
import { sourceAccess } from "../support/source-access.js";

let gmail: ScriptedGmail;

beforeEach(async () => {
  gmail = await startScriptedGmail("good");
});
afterEach(async () => {
  await gmail.close();
});

const connector = () => createGmailConnector({ baseUrl: gmail.url });
type Settings = Readonly<Record<string, string>>;
const access = (metadata: Settings = {}, options: { known?: SourceAccess["known"]; token?: string } = {}) =>
  sourceAccess(connector(), { metadata, token: "good", ...options });
const mirror = (metadata?: Settings) => mirrorSource(connector(), (known) => access(metadata, { known }));
const ids = (source: MirroredSource) => [...source.documents.keys()].sort();

/** A thread in the form of its document. */
async function markdown(content: SourceContent | null | undefined): Promise<string> {
  const bytes = content?.content;
  if (!(bytes instanceof Uint8Array)) throw new Error("The thread has no mailbox.");
  const file = { bytes, name: "thread.mbox", mimeType: "application/mbox", charset: null, url: null };
  return (await extractMailbox(file, extractionTools())).parts.map(({ text }) => text).join("\n\n");
}

test("a thread is one document: its messages in order, with headers, quotes and signatures", async () => {
  const id = await gmail.put("Grüße", "Hello\n\nFrom here on it goes.\n-- \nAnn", {
    attachments: ["plan.pdf", "map.png"],
  });
  await gmail.reply(id, { text: "> Hello\n\nHi ✓", html: "<p>Hi ✓</p>", from: "Bób, Jr. <bob@example.com>" });
  const source = mirror();
  await source.sync();
  const document = source.documents.get(id);
  expect(document?.item.address).toBe(`https://mail.google.com/mail/#all/${id}`);
  expect(document?.content).toMatchObject({
    title: "Grüße",
    mimeType: "application/mbox",
    changedAt: "2026-01-01T00:01:00.000Z",
  });
  expect(document?.content?.metadata).toEqual({
    type: "gmail_thread",
    threadId: id,
    subject: "Grüße",
    from: "Ann <ann@example.com>",
    to: "Bob <bob@example.com>",
    date: "2026-01-01T00:01:00.000Z",
    messageCount: 2,
    attachmentCount: 2,
    attachmentNames: ["plan.pdf", "map.png"],
  });
  const text = await markdown(document?.content);
  expect(text).toMatch(/# Grüße\n\n- From: Ann <ann@example.com>\n- To: Bob <bob@example.com>\n- Date: /);
  expect(text).toContain("Hello\n\nFrom here on it goes.\n-- \nAnn");
  expect(text).toMatch(/# Re: Grüße\n\n- From: .*Bób.*\n[^]*> Hello\n\nHi ✓/);
});

test("HTML is read when there is no text, and long texts are fetched", async () => {
  const html = await gmail.put("Html", "", { text: undefined as never, html: "<p>Only <b>HTML</b> here</p>" });
  const large = await gmail.put("Large", "long text", { isLarge: true });
  const source = mirror();
  await source.sync();
  expect(await markdown(source.documents.get(html)?.content)).toContain("Only **HTML** here");
  expect(await markdown(source.documents.get(large)?.content)).toContain("long text");
});

test("a stranger's text cannot begin another mail, header or part", async () => {
  const text = "Hi\n\nFrom evil@example.com Thu Jan  1 00:00:00 1970\nFrom: Boss <boss@example.com>\n\nPay!";
  const id = await gmail.put("One\r\nBcc: x@example.com", text);
  const source = mirror();
  await source.sync();
  const content = await markdown(source.documents.get(id)?.content);
  expect(content.match(/^- From: /gm)).toHaveLength(1);
  expect(content).not.toMatch(/^- Bcc/m);
});

test("new messages, deletions, the bin and restores are followed; label changes read nothing", async () => {
  const [one, two, three] = [await gmail.put("1", "a"), await gmail.put("2", "b"), await gmail.put("3", "c")];
  const source = mirror();
  await source.sync();
  expect(ids(source)).toEqual([one, two, three]);
  gmail.unlabel(one, "UNREAD");
  gmail.label(one, "STARRED");
  await source.sync();
  expect(source.reads).toHaveLength(3);
  await gmail.reply(one, { text: "more" });
  await gmail.remove(two);
  gmail.lose(three);
  const four = await gmail.put("4", "d");
  await source.sync();
  expect(ids(source)).toEqual([one, four]);
  expect(source.documents.get(one)?.content?.metadata["messageCount"]).toBe(2);
  await gmail.restore(two);
  await source.sync();
  expect(ids(source)).toEqual([one, two, four]);
});

test("drafts, spam and binned messages are not part of a document", async () => {
  const id = await gmail.put("1", "a");
  await gmail.put("draft", "x", { labels: ["DRAFT"] });
  await gmail.put("spam", "x", { labels: ["SPAM"] });
  await gmail.reply(id, { text: "unfinished", labels: ["DRAFT"] });
  const source = mirror();
  await source.sync();
  expect(ids(source)).toEqual([id]);
  expect(source.documents.get(id)?.content?.metadata["messageCount"]).toBe(1);
  const before = gmail.requests();
  const spam = await gmail.put("spam", "y", { labels: ["SPAM"] });
  gmail.lose(spam);
  await source.sync();
  // Only pages of the history.
  expect(new Set(gmail.calls.slice(before).map(({ path }) => path.split("/").at(-1)))).toEqual(new Set(["history"]));
});

test("a run that ends after every page resumes where it stopped", async () => {
  const threads: string[] = [];
  for (let count = 0; count < 5; count += 1) threads.push(await gmail.put(`${count}`, "x"));
  const source = mirror();
  while (!(await source.sync({ stopAfter: 1 })));
  expect(ids(source)).toEqual(threads);
  for (const id of threads) await gmail.reply(id, { text: "y" });
  while (!(await source.sync({ stopAfter: 1 })));
  expect([...source.documents.values()].map(({ content }) => content?.metadata["messageCount"])).toEqual([
    2, 2, 2, 2, 2,
  ]);
  expect(source.reads).toHaveLength(10);
});

describe("with a query or labels", () => {
  test("each run lists the matches, and reads only changes", async () => {
    const work = await gmail.put("1", "apple", { labels: ["INBOX", "My-Work"] });
    const home = await gmail.put("2", "apple pear", { labels: ["home"] });
    await gmail.put("3", "apple", { labels: ["other"] });
    const source = mirror({ labels: "My Work, home", query: "apple" });
    await source.sync();
    expect(ids(source)).toEqual([work, home]);
    gmail.label(home, "STARRED");
    await source.sync();
    expect(source.reads).toHaveLength(2);
    await gmail.reply(work, { text: "reply", labels: ["INBOX"] });
    gmail.unlabel(home, "home");
    await source.sync();
    expect(ids(source)).toEqual([work]);
    expect(source.reads).toEqual([work, home, work]);
    expect(new Set(source.pages.map(({ kind }) => kind))).toEqual(new Set(["listing"]));
  });

  test("changed settings list everything again", async () => {
    await gmail.put("1", "apple");
    const pear = await gmail.put("2", "pear");
    const source = mirror();
    await source.sync();
    const changed = connector().changes(access({ query: "pear" }), source.pages.at(-1)?.checkpoint);
    await expect(changed[Symbol.asyncIterator]().next()).rejects.toThrow(/The search was changed/);
    expect(ids(source)).toContain(pear);
  });
});

test("files added during the first listing are included", async () => {
  for (const name of ["a", "b", "c"]) await gmail.put(name, name);
  const source = mirror();
  await source.sync({ stopAfter: 1 });
  const late = await gmail.put("late", "late");
  gmail.lose("tm0001");
  await gmail.reply("tm0002", { text: "more" });
  while (!(await source.sync()));
  await source.sync();
  expect(ids(source)).toEqual(["tm0002", "tm0003", late]);
  expect(source.documents.get("tm0002")?.content?.metadata["messageCount"]).toBe(2);
  // The history reports it again, although it was listed and read.
  expect(source.reads.filter((id) => id === late)).toHaveLength(1);
});

test("an expired history (404) lists everything again, finds deletions, and reads nothing unchanged", async () => {
  const [gone, kept] = [await gmail.put("1", "a"), await gmail.put("2", "b")];
  const source = mirror();
  await source.sync();
  gmail.lose(gone);
  gmail.label(kept, "STARRED");
  gmail.expire();
  await source.sync();
  expect(ids(source)).toEqual([kept]);
  expect(source.reads).toHaveLength(2);
  await source.sync();
  expect(source.pages.at(-1)?.kind).toBe("changes");
});

test("types of history are requested in the singular and returned in the plural", async () => {
  const id = await gmail.put("1", "a");
  const source = mirror();
  await source.sync();
  await gmail.remove(id);
  await source.sync();
  const asked = gmail.calls.findLast(({ path }) => path.endsWith("/history"));
  expect(asked?.query.getAll("historyTypes")).toEqual(["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"]);
  expect(ids(source)).toEqual([]);
});

test("messages deleted from a remaining thread are removed", async () => {
  const id = await gmail.put("1", "a");
  await gmail.reply(id, { text: "b" });
  const source = mirror();
  await source.sync();
  gmail.lose(id, "m0001");
  await source.sync();
  expect(await markdown(source.documents.get(id)?.content)).not.toContain("\n\na");
  expect(source.documents.get(id)?.content?.metadata["messageCount"]).toBe(1);
});

test("one unreadable thread does not end a listing", async () => {
  const id = await gmail.put("1", "a");
  const source = mirror();
  await source.sync();
  gmail.label(id, "STARRED");
  gmail.expire();
  gmail.fail({ kind: "status", status: 500, path: new RegExp(`threads/${id}`) });
  expect(await source.sync()).toBe(true);
  expect(ids(source)).toEqual([id]);
});

test("pages that form a loop end the run", async () => {
  await gmail.put("1", "a");
  gmail.loop();
  await expect(mirror().sync()).rejects.toThrow(/does not lead to a next page/);
});

describe("faults", () => {
  const run = () => mirror().sync();
  const forbidden = (reason: string) => ({ kind: "status", status: 403, body: { error: { errors: [{ reason }] } } });

  test.each([
    ["429", { kind: "status", status: 429, headers: { "retry-after": "7" } }, { kind: "rate_limited", retryAfter: 7 }],
    ["429 without Retry-After", { kind: "status", status: 429 }, { kind: "rate_limited" }],
    ["403 for too many requests", forbidden("userRateLimitExceeded"), { kind: "rate_limited" }],
    ["403 for an API not enabled", forbidden("accessNotConfigured"), { kind: "invalid" }],
    ["403 for a missing scope", forbidden("insufficientPermissions"), { kind: "unauthorized" }],
    ["403 for another reason", forbidden("forbidden"), { kind: "forbidden" }],
    ["500", { kind: "status", status: 500 }, { kind: "unavailable" }],
    ["a truncated response", { kind: "cut" }, { kind: "unavailable" }],
    ["a response that is not JSON", { kind: "garbage" }, { kind: "unavailable" }],
  ])("%s", async (_name, fault, error) => {
    await gmail.put("1", "a");
    gmail.fail({ ...fault, path: /threads$/ } as never);
    await expect(run()).rejects.toMatchObject(error);
    expect(await run()).toBe(true);
  });

  test("a token refused during a run", async () => {
    await gmail.put("1", "a");
    gmail.fail({ kind: "status", status: 401, path: /threads\/t/ });
    await expect(run()).rejects.toBeInstanceOf(SignInRefused);
  });

  test("a deleted thread", async () => {
    const item = { id: "nothing", version: "1", title: null, address: null, path: null };
    await expect(connector().read(access(), item)).rejects.toBeInstanceOf(ItemGone);
  });
});

test("the account is named, and a refused token is reported", async () => {
  expect(await connector().check(access())).toEqual({ account: "owner@example.com" });
  await expect(connector().check(access({}, { token: "bad" }))).rejects.toBeInstanceOf(SignInRefused);
});
