import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findInFiles } from "../support/data-folder-scan.js";
import { encodeForm } from "../support/forms.js";
import { LOOPBACK, type OpenedRest, openRest, requestInit } from "../support/rest.js";

const HARBOUR = resolve(import.meta.dirname, "../fixtures/extractors/harbour.docx");
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const ODD = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0]);

let rest: OpenedRest;
let docx: Buffer;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
  docx = await readFile(HARBOUR);
});
afterEach(() => rest.close());

interface Attached {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const text = (name: string, words: string): Attached => ({ name, type: "text/plain", bytes: Buffer.from(words) });

/** An email with attachments, as mail programs write it. */
function mailOf(subject: string, attached: readonly Attached[]): Buffer {
  const boundary = `b-${subject.replaceAll(" ", "-")}`;
  const parts = attached.map(({ name, type, bytes }) =>
    [
      `--${boundary}`,
      `Content-Type: ${type}; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from(bytes).toString("base64"),
    ].join("\r\n"),
  );
  const head = [
    "From: Ada Lindqvist <ada@example.com>",
    "To: harbour@example.com",
    `Subject: ${subject}`,
    "Date: Mon, 6 May 2024 07:08:09 +0000",
    "MIME-Version: 1.0",
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    "Content-Type: text/plain",
    "",
    `Here is what you asked for, ${subject}.`,
  ].join("\r\n");
  return Buffer.from([head, ...parts, `--${boundary}--`, ""].join("\r\n"));
}

async function upload(bytes: Buffer, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const form = await encodeForm({
    file: new File([new Uint8Array(bytes)], "mail.eml", { type: "message/rfc822" }),
    containerTag: "port",
    customId: "mail",
    metadata: JSON.stringify({ team: "quay" }),
    ...fields,
  });
  const { status, body } = await rest.send("POST", "/v3/documents/file", form.bytes, form.headers);
  expect(status).toBe(200);
  await rest.settle();
  return body.id;
}
const get = async (id: string) => (await rest.send("GET", `/v3/documents/${id}`)).body;
async function list(): Promise<any[]> {
  const { body } = await rest.send("POST", "/v3/documents/list", {
    containerTags: ["port"],
    limit: 100,
    order: "asc",
    includeContent: true,
  });
  return body.memories;
}
const titles = async (): Promise<string[]> => (await list()).map(({ title }) => String(title)).toSorted();
const notesOf = async (id: string): Promise<string> =>
  JSON.stringify((await get(id)).processingMetadata.steps[0].metadata);

describe("files attached to an email", () => {
  test("become documents that refer to their email and can be searched", async () => {
    const note = text("note.txt", "The heron statue stands on pier nine.");
    const odd = { name: "tool.bin", type: "application/octet-stream", bytes: ODD };
    const mail = await upload(mailOf("Papers", [{ name: "harbour.docx", type: DOCX, bytes: docx }, note, odd]));
    expect(await titles()).toEqual(["Harbour handbook", "Papers", "note.txt"].toSorted());
    const { status, metadata } = await get(mail);
    expect(status).toBe("done");
    expect(metadata).toMatchObject({ team: "quay", attachments: ["harbour.docx", "note.txt", "tool.bin"] });
    expect(await notesOf(mail)).toContain("Files inside it cannot be read: tool.bin.");
    const attached = (await list()).filter(({ id }) => id !== mail);
    expect(attached).toHaveLength(2);
    for (const one of attached) {
      expect(one).toMatchObject({
        status: "done",
        containerTags: ["port"],
        metadata: { team: "quay", attachedTo: mail },
      });
      const { body } = await rest.send("GET", `/v3/documents/${one.id}/file-url`);
      const { pathname, search } = new URL(body.url);
      const download = await rest.app.request(`${pathname}${search}`, requestInit("GET", undefined), LOOPBACK);
      expect(download.status).toBe(200);
    }
    const q = { q: "Who lights the green lantern?", containerTags: ["port"] };
    const found = await rest.send("POST", "/v3/search", q);
    expect(found.body.results[0]).toMatchObject({ title: "Harbour handbook", metadata: { attachedTo: mail } });
  });

  test("are not trusted: they yield no facts about the user, and no passage counts as trusted", async () => {
    const note = text("note.txt", "I prefer pier nine for all my deliveries. My name is Olof Berg.");
    const own = text("own.docx.txt", "The user's favourite pier is pier nine.");
    await upload(mailOf("Papers", [note, own]));
    const profile = (await rest.send("POST", "/v4/profile", { containerTag: "port" })).body.profile;
    expect(profile.static).toEqual([]);
    expect(JSON.stringify(profile)).not.toMatch(/\bUser/);
    const { body } = await rest.send("POST", "/v3/search", { q: "pier nine deliveries", containerTags: ["port"] });
    expect(body.results[0]).toMatchObject({ title: "note.txt" });
    const hits = await rest.core.search({ actor: rest.actor }, { q: "pier nine deliveries", containerTags: ["port"] });
    expect(hits.results.length).toBeGreaterThan(0);
    for (const { trust } of hits.results) expect(trust).not.toBe("trusted");
  });

  test("are stored once: the same email adds nothing, a new one under its customId only what differs", async () => {
    const [one, two, three] = [text("one.txt", "First."), text("two.txt", "Second."), text("three.txt", "Third.")];
    const mail = await upload(mailOf("Papers", [one, two, one]));
    expect(await titles()).toEqual(["Papers", "one.txt", "two.txt"]);
    const before = (await list()).find(({ title }) => title === "two.txt").id;
    expect(await upload(mailOf("Papers", [one, two, one]))).toBe(mail);
    expect(await titles()).toEqual(["Papers", "one.txt", "two.txt"]);
    expect(await upload(mailOf("Papers again", [two, three]))).toBe(mail);
    expect(await titles()).toEqual(["Papers again", "three.txt", "two.txt"]);
    expect((await list()).find(({ title }) => title === "two.txt").id).toBe(before);
    expect((await get(mail)).metadata.attachments).toEqual(["two.txt", "three.txt"]);
  });

  test("of an email inside an email are read, but no deeper", async () => {
    const deepest = { name: "c.eml", type: "application/octet-stream", bytes: mailOf("C", [text("d.txt", "Deep.")]) };
    const inner = { name: "b.eml", type: "application/octet-stream", bytes: mailOf("B", [deepest]) };
    await upload(mailOf("A", [inner]));
    expect(await titles()).toEqual(["A", "B", "C"]);
    const innermost = (await list()).find(({ title }) => title === "C");
    expect(await notesOf(innermost.id)).toContain("are nested too deeply and were not read: d.txt.");
  });

  test("beyond fifty are only named", async () => {
    const many = Array.from({ length: 53 }, (_, index) => text(`n${index}.txt`, `Number ${index}.`));
    const mail = await upload(mailOf("Many", many), { taskType: "superrag" });
    expect(await list()).toHaveLength(51);
    expect(await notesOf(mail)).toMatch(/were not read, because at most 50 .*: n50.txt, n51.txt, n52.txt\./);
  });

  test("are deleted with their email, including the stored files", async () => {
    const deep = { name: "b.eml", type: "application/octet-stream", bytes: mailOf("B", [text("c.txt", "Deep.")]) };
    const mail = await upload(mailOf("A", [deep, text("a.txt", "The heron statue.")]));
    expect(await list()).toHaveLength(4);
    await rest.send("DELETE", `/v3/documents/${mail}`);
    expect(await list()).toEqual([]);
    expect(findInFiles(`${rest.dataDirectory}/files`, ["Deep.", "heron", "Subject"])).toEqual([]);
  });

  test("move with their email to another container, those of a nested email too", async () => {
    const inner = { name: "b.eml", type: "application/octet-stream", bytes: mailOf("B", [text("c.txt", "Deep.")]) };
    const mail = await upload(mailOf("A", [inner, text("a.txt", "The heron statue stands on pier nine.")]));
    await rest.send("PATCH", `/v3/documents/${mail}`, { containerTags: ["quay"] });
    await rest.settle();
    expect(await list()).toEqual([]);
    const moved = await rest.send("POST", "/v3/documents/list", { containerTags: ["quay"], limit: 100 });
    expect(moved.body.memories.map(({ title }: { title: string }) => title).toSorted()).toEqual([
      "A",
      "B",
      "a.txt",
      "c.txt",
    ]);
    for (const one of moved.body.memories) expect(one.status).toBe("done");
    const found = await rest.send("POST", "/v3/search", { q: "heron statue", containerTags: ["quay"] });
    expect(found.body.results[0]).toMatchObject({ title: "a.txt" });
    await rest.send("DELETE", `/v3/documents/${mail}`);
    expect((await rest.send("POST", "/v3/documents/list", { containerTags: ["quay"] })).body.memories).toEqual([]);
  });

  test("one that was moved elsewhere stays there, whatever happens to its email", async () => {
    await upload(mailOf("A", [text("a.txt", "The heron statue."), text("b.txt", "The lantern.")]));
    const away = (await list()).find(({ title }) => title === "a.txt").id;
    await rest.send("PATCH", `/v3/documents/${away}`, { containerTags: ["quay"] });
    await rest.settle();
    await upload(mailOf("Another", [text("b.txt", "The lantern.")]));
    expect(await titles()).toEqual(["Another", "b.txt"]);
    expect((await get(away)).containerTags).toEqual(["quay"]);
  });

  test.each(["PATCH", "POST"])("are deleted when a text replaces their email (%s)", async (method) => {
    const mail = await upload(mailOf("A", [text("a.txt", "The heron statue stands on pier nine.")]));
    const content = "Nothing but a text.";
    if (method === "PATCH") await rest.send("PATCH", `/v3/documents/${mail}`, { content });
    else await rest.send("POST", "/v3/documents", { content, customId: "mail", containerTag: "port" });
    await rest.settle();
    expect((await list()).map(({ id }) => id)).toEqual([mail]);
  });

  test("of a nested email are limited to ten", async () => {
    const many = Array.from({ length: 12 }, (_, index) => text(`n${index}.txt`, `Number ${index}.`));
    const inner = { name: "b.eml", type: "application/octet-stream", bytes: mailOf("B", many) };
    await upload(mailOf("A", [inner]), { taskType: "superrag" });
    expect(await list()).toHaveLength(12);
  });

  test("beyond two hundred are not examined", async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ ...text(`n${index}.bin`, `\0${index}`), type: "a/b" }));
    const mail = await upload(mailOf("Many", many), { taskType: "superrag" });
    expect(await list()).toHaveLength(1);
    expect(await notesOf(mail)).toContain("Only the first 200 attached files were looked at.");
  }, 30_000);

  test.each([false, true])("are purged with their email (deleted before: %s)", async (isDeleted) => {
    const word = "xqheron";
    const mail = await upload(mailOf("A", [text(`${word}.txt`, `The ${word} statue stands on pier nine.`)]));
    expect(findInFiles(rest.dataDirectory, [word])).not.toEqual([]);
    if (isDeleted) await rest.send("DELETE", `/v3/documents/${mail}`);
    await rest.core.purge({ actor: rest.actor }, { documentId: mail, confirm: true });
    await rest.settle();
    expect(findInFiles(rest.dataDirectory, [word])).toEqual([]);
  });
});
