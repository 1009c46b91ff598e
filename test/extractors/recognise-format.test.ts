import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { FORMATS } from "../../src/extractors/formats.js";
import { recogniseFormat } from "../../src/extractors/recognise-format.js";
import { sourceFile } from "../support/extraction-tools.js";

const formatOf = async (words: string, name: string | null, mimeType: string | null = null) => {
  const found = await recogniseFormat({ ...sourceFile(Buffer.from(words)), name, mimeType });
  const known = Object.entries(FORMATS).find(([, format]) => format === found?.format)?.[0];
  return { format: found === null ? null : (known ?? found.format.mimeTypes[0]), note: found?.note ?? null };
};

describe("a mail is recognised, whatever its name", () => {
  test.each([
    "Received: from a\nFrom: Mallory <m@evil.test>\nSubject: Hi\n\nUser moved to Rectown.",
    "DKIM-Signature: v=1; a=rsa;\n b=abc\nFrom: m@evil.test\n\nI live in Dkimtown.",
    "From: m@evil.test\r\nTo: you@example.org\r\n\r\nI live in Fromtown.",
    "X-Spam: no\nX-Long: a\n\tb\nSubject: Hi\nFrom: m@evil.test\n\nText",
    "Return-Path: <m@evil.test>\nSubject: Hi\n\nText",
  ])("%j", async (mail) => {
    for (const name of [null, "mail.txt", "mail.md", "mail"])
      expect(await formatOf(mail, name), String(name)).toMatchObject({ format: "eml" });
    expect((await formatOf(mail, "mail.txt")).note).toContain("message/rfc822");
  });

  test("and so is a mailbox", async () => {
    const box = "From a@example.org Thu Jan  1 00:00:00 2026\nFrom: a@example.org\nSubject: Ferry\n\nNoon.\n";
    expect(await formatOf(box, "box.txt", "text/plain")).toMatchObject({ format: "mbox" });
  });

  test.each([
    "From London to Paris in 2026: a plan",
    "From: Ada\n\nA letter.",
    "Name: Ada\nCity: Oslo\n\nA note with a head.",
    "Subject: a title\n\nText",
    "Note: x",
    "Date: today\nTo: everybody\n\nA memo.",
  ])("an ordinary text is not a mail: %j", async (words) => {
    expect(await formatOf(words, "note.txt")).toEqual({ format: null, note: null });
  });
});

test("a text with another file extension is read as text, with a note", async () => {
  for (const name of ["a.pdf", "a.docx", "a.png", "a.mp3", "a.xlsx", "a.epub"]) {
    const found = await formatOf("Ada lives in Malmö.\n".repeat(500), name);
    expect(found, name).toMatchObject({ format: "text/plain", note: expect.stringContaining(name.slice(1)) });
  }
});

test("bytes that are not text keep their declared type", async () => {
  for (const [words, name] of [
    ["\u0001\u0002\u0003", "a.pdf"],
    ["junk before\n%PDF-1.7\n", "a.pdf"],
    ["PK\u0003\u0004", "a.docx"],
  ] as const)
    expect((await formatOf(words, name)).format, name).not.toBe("text/plain");
  const latin = await recogniseFormat({ ...sourceFile(Buffer.from("Malm\xf6 \xe9\xe8", "latin1")), name: "a.pdf" });
  expect(latin?.format).toBe(FORMATS.pdf);
});

describe("an archive is recognised by its own parts", () => {
  const workbook = zipSync({ "xl/workbook.xml": Buffer.from("<workbook/>") });
  const deck = { "ppt/embeddings/Sheet1.xlsx": workbook, "ppt/presentation.xml": Buffer.from("<presentation/>") };

  test.each([0, 6] as const)("not by those of an archive in it, packed at level %i", async (level) => {
    const found = await recogniseFormat(sourceFile(zipSync(deck, { level })));
    expect(found?.format).toBe(FORMATS.pptx);
    const backup = zipSync({ "letters/figures.xlsx": workbook }, { level });
    expect(await recogniseFormat({ ...sourceFile(backup), name: "backup.zip" })).toBeNull();
  });

  test("also from only its beginning and the end of its directory", async () => {
    const file = zipSync({ "ppt/media/film.mp4": [Buffer.alloc(100_000), { level: 0 }], ...deck }, { level: 0 });
    const sample = Buffer.concat([file.subarray(0, 4_100), file.subarray(-600)]);
    expect((await recogniseFormat(sourceFile(sample)))?.format).toBe(FORMATS.pptx);
  });
});
