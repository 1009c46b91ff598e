import { describe, expect, test } from "vitest";
import { extractFile } from "../../src/extractors/extract-file.js";
import { recogniseFormat } from "../../src/extractors/recognise-format.js";
import { textOfAll } from "../support/extraction-measures.js";
import { sourceFile, USUAL_LIMITS } from "../support/extraction-tools.js";

const file = (text: string) => ({ ...sourceFile(Buffer.from(text)), name: "note.md", mimeType: null });
const read = (text: string) =>
  extractFile(file(text), {
    limits: USUAL_LIMITS,
    password: null,
    languages: "eng",
    report: () => undefined,
  });
const about = async (fields: string) => {
  const { title, author, date, metadata, notes } = await read(`---\n${fields}\n---\n\n# Heading\n\nText.\n`);
  return { title, author, date, metadata, notes };
};
const NOTHING = { title: null, author: null, date: null, metadata: {}, notes: [] };

describe("Markdown with front matter", () => {
  test("yields title, author, date and tags, and keeps its text unchanged", async () => {
    const text =
      "---\r\ntitle: The north quay\r\nauthor: Zoë\r\ndate: 2026-03-04\r\ntags: [quay, plans]\r\n---\r\n\r\nIt is closed.";
    const content = await read(text);
    expect(content).toMatchObject({
      type: "text",
      title: "The north quay",
      author: "Zoë",
      date: "2026-03-04",
      metadata: { tags: ["quay", "plans"] },
      notes: [],
    });
    expect(textOfAll(content)).toContain("title: The north quay");
    expect(textOfAll(content)).toContain("It is closed.");
  });

  test.each<[what: string, fields: string, expected: Partial<Awaited<ReturnType<typeof about>>>]>([
    ["several authors", "authors:\n  - Ann\n  - name: Bo", { author: "Ann, Bo" }],
    ["one tag", "tags: quay", { metadata: { tags: ["quay"] } }],
    ["a time with an offset", "date: 2026-03-04 07:08:09 +0200", { date: "2026-03-04 07:08:09+0200" }],
    ["an invalid date", "date: last spring", {}],
    ["a year as the title", "title: 1984", { title: "1984" }],
    [
      "invisible characters",
      'title: "North\\0 quay\\e"\nauthor: "A\\0nn"\ntags: ["qu\\0ay"]',
      { title: "North quay", author: "Ann", metadata: { tags: ["quay"] } },
    ],
    ["empty fields", "title:\ntags: []", {}],
    ["no fields", "just a line", {}],
    ["a list", "- a\n- b", {}],
    ["invalid YAML", "title: [a", { notes: ["Its front matter is not well-formed YAML and was kept as text."] }],
    ["aliases", "title: &a [x]\ntags: [*a, *a]", { notes: [expect.any(String)] }],
    ["nested lists", `title: ${"[".repeat(9_000)}`, { notes: [expect.any(String)] }],
  ])("with %s", async (_what, fields, expected) => {
    expect(await about(fields)).toEqual({ ...NOTHING, ...expected });
  });

  test("that is never closed is plain text", async () => {
    const { title, notes } = await read(`---\ntitle: A\n${"more\n".repeat(10_000)}`);
    expect({ title, notes }).toEqual({ title: null, notes: [] });
  });
});

test.each([
  ["without front matter", "# Heading\n\nText.\n"],
  ["that begins with dashes and text", "--- a line\n\nText.\n"],
])("Markdown %s is plain text", async (_what, text) => {
  expect(await recogniseFormat(file(text))).toBeNull();
});
