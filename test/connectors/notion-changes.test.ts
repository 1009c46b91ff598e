import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNotionConnector } from "../../src/connectors/notion/notion.js";
import { SignInRefused } from "../../src/core/connections/connector-errors.js";
import type { SourceAccess } from "../../src/core/ports.js";
import { mirrorSource } from "../support/mirrored-source.js";
import { block, NOTION_TOKEN, said, type ScriptedNotion, startNotion } from "../support/scripted-notion.js";
import { sourceAccess } from "../support/source-access.js";

let notion: ScriptedNotion;

beforeEach(async () => {
  notion = await startNotion(3);
});
afterEach(async () => {
  await notion.close();
});

const connector = () => createNotionConnector({ apiUrl: notion.url });
const accessFor = (known?: SourceAccess["known"], token = NOTION_TOKEN) =>
  sourceAccess(connector(), { metadata: { token }, ...(known && { known }) });
const mirror = () => mirrorSource(connector(), (known) => accessFor(known));

test("a run stopped after any page resumes, lists everything, and reads nothing twice", async () => {
  for (let index = 0; index < 10; index += 1) await notion.put(`Page ${index}`, `Text ${index}.`);
  const source = mirror();
  for (let stops = 0; stops < 3; stops += 1) expect(await source.sync({ stopAfter: 1 })).toBe(false);
  expect(await source.sync()).toBe(true);
  expect(source.documents.size).toBe(10);
  expect(source.reads).toHaveLength(10);
  expect(source.pages.filter(({ isFirst }) => isFirst)).toHaveLength(1);
});

test("edits, renames, deletions and restores are followed", async () => {
  const [kept, gone] = [await notion.put("Kept", "As it was."), await notion.put("Gone", "Farewell.")];
  const source = mirror();
  await source.sync();
  await notion.edit(kept, "As it is now.");
  await notion.rename(kept, "Renamed");
  await notion.remove(gone);
  await source.sync();
  expect(source.texts()).toEqual({ Renamed: "# Renamed\n\nAs it is now." });
  await notion.restore(gone);
  await source.sync();
  expect(Object.keys(source.texts()).toSorted()).toEqual(["Gone", "Renamed"]);
});

test("rows that the search omits are found through their database", async () => {
  for (let index = 0; index < 5; index += 1)
    notion.putPage(`row-${index}`, `Row ${index}`, "", {
      source: "trees",
      fields: { Age: { type: "number", number: index } },
    });
  for (const page of notion.pages.values()) page.isUnlisted = true;
  notion.sources.add("empty");
  const source = mirror();
  await source.sync();
  expect(source.texts()["Row 4"]).toContain("- Age: 4");
  expect(source.documents.size).toBe(5);
  await source.sync();
  expect(source.reads).toHaveLength(5);
});

test("a database deleted while its rows are listed is no error", async () => {
  notion.putPage("row", "Row", "", { source: "trees" });
  notion.putPage("other", "Other", "", { source: "wells" });
  notion.fail({ kind: "status", status: 404, path: /trees/ }, 1);
  const source = mirror();
  expect(await source.sync()).toBe(true);
  expect(source.documents.size).toBe(2);
});

test("fields of a row are written as text", async () => {
  const fields = {
    Sum: { type: "formula", formula: { type: "number", number: 12 } },
    Names: {
      type: "rollup",
      rollup: {
        type: "array",
        array: [
          { type: "title", title: said("Pear") },
          { type: "number", number: 3 },
        ],
      },
    },
    Key: { type: "unique_id", unique_id: { prefix: "TREE", number: 7 } },
    Owner: { type: "people", people: [{ object: "user", id: "u1", name: "Mia" }] },
    Done: { type: "checkbox", checkbox: false },
    From: { type: "date", date: { start: "2026-01-01", end: "2026-01-03" } },
    Nothing: { type: "select", select: null },
  };
  notion.putPage("row", "Row", "The row.", { fields });
  const source = mirror();
  await source.sync();
  expect(source.texts()["Row"]).toBe(
    "# Row\n\n- Sum: 12\n- Names: Pear, 3\n- Key: TREE-7\n- Owner: Mia\n- Done: no\n- From: 2026-01-01 to 2026-01-03\n\nThe row.",
  );
});

test("an edit within the same minute as the last, which Notion does not report, is found", async () => {
  const id = await notion.put("Page", "The first text.");
  const page = notion.pages.get(id);
  if (!page) throw new Error("There is no page.");
  notion.clock = new Date(Date.parse(page.editedAt) + 20_000);
  const source = mirror();
  await source.sync();
  page.text = "The second text.";
  notion.clock = new Date(Date.parse(page.editedAt) + 60_000);
  await source.sync();
  page.text = "The third text.";
  notion.clock = new Date(Date.parse(page.editedAt) + 4 * 3_600_000);
  await source.sync();
  expect(source.texts()["Page"]).toContain("The third text.");
  await source.sync();
  await source.sync();
  expect(source.reads).toHaveLength(3);
});

test("a page read long after its last edit is not read again", async () => {
  const id = await notion.put("Page", "The text.");
  notion.clock = new Date(Date.parse(notion.pages.get(id)?.editedAt ?? "") + 121_000);
  const source = mirror();
  await source.sync();
  await source.sync();
  expect(source.reads).toHaveLength(1);
});

describe("content", () => {
  test("without Markdown, pages are read by their blocks", async () => {
    notion.hasMarkdown = false;
    const id = await notion.put("Page", "");
    const list = block("bulleted_list_item", { rich_text: said("Trees") }, { has_children: true });
    const table = block("table", { table_width: 2 }, { has_children: true });
    const child = block("child_page", { title: "Below" }, { has_children: true });
    notion.blocks.set(id, [
      block("heading_2", { rich_text: said("The farm") }),
      block("paragraph", { rich_text: [...said("Forty "), ...said("pears.")] }),
      list,
      block("to_do", { rich_text: said("Water"), checked: true }),
      block("code", { rich_text: said("x = 1"), language: "python" }),
      table,
      child,
      block("bookmark", { url: "https://example.com/", caption: [] }),
      block("divider", {}),
    ]);
    notion.blocks.set(list.id, [block("bulleted_list_item", { rich_text: said("Pears") })]);
    notion.blocks.set(table.id, [
      block("table_row", { cells: [said("Tree"), said("Age")] }),
      block("table_row", { cells: [said("a|b"), said("3")] }),
    ]);
    const source = mirror();
    await source.sync();
    expect(source.texts()["Page"]).toBe(
      [
        "# Page",
        "## The farm",
        "Forty pears.",
        "- Trees",
        "  - Pears",
        "- [x] Water",
        "```python\nx = 1\n```",
        "| Tree | Age |\n| --- | --- |\n| a\\|b | 3 |",
        "Below",
        "https://example.com/",
      ].join("\n\n"),
    );
  });

  test("inaccessible parts of a long page are left out, and the rest stays", async () => {
    const id = await notion.put("Long", 'It begins. <unknown url="https://www.notion.so/x" alt="bookmark"/>');
    notion.pages.get(id)?.parts.set("part-1", "It goes on.").set("part-2", "It ends.");
    notion.fail({ kind: "status", status: 404, path: /part-1/ }, 1);
    const source = mirror();
    await source.sync();
    expect(source.texts()["Long"]).toBe("# Long\n\nIt begins. \n\nIt ends.");
  });

  test("a page deleted between listing and reading is gone, not failed", async () => {
    const id = await notion.put("Page", "The text.");
    const source = mirror();
    await source.sync();
    const document = source.documents.get(id);
    if (!document) throw new Error("There is no page.");
    await notion.remove(id);
    await expect(connector().read(accessFor(), document.item)).rejects.toMatchObject({ name: "ItemGone" });
  });
});

describe("faults", () => {
  test("an expired cursor starts the listing over, and removes nothing", async () => {
    for (let index = 0; index < 8; index += 1) await notion.put(`Page ${index}`, `Text ${index}.`);
    const source = mirror();
    await source.sync({ stopAfter: 2 });
    notion.fail({ kind: "expired" }, 1);
    expect(await source.sync()).toBe(true);
    expect(source.documents.size).toBe(8);
    expect(source.reads).toHaveLength(8);
  });

  test("a repeated cursor is not the end of the list, and removes nothing", async () => {
    for (let index = 0; index < 8; index += 1) await notion.put(`Page ${index}`, `Text ${index}.`);
    const source = mirror();
    await source.sync();
    notion.isLooping = true;
    await expect(source.sync()).rejects.toThrow(/does not lead to a next page/);
    expect(source.documents.size).toBe(8);
  });

  test.each([{ kind: "garbage" }, { kind: "cut" }, { kind: "status", status: 500 }] as const)(
    "$kind in the middle of a list removes nothing",
    async (fault) => {
      for (let index = 0; index < 8; index += 1) await notion.put(`Page ${index}`, `Text ${index}.`);
      const source = mirror();
      await source.sync();
      await source.sync({ stopAfter: 1 });
      notion.fail({ ...fault, path: /search/ }, 1);
      await expect(source.sync()).rejects.toMatchObject({ kind: "unavailable" });
      expect(source.documents.size).toBe(8);
      await source.sync();
      expect(source.documents.size).toBe(8);
      expect(source.reads).toHaveLength(8);
    },
  );

  test("an integration that may no longer read is an error, and removes nothing", async () => {
    await notion.put("Page", "The text.");
    const source = mirror();
    await source.sync();
    notion.mayRead = false;
    await expect(source.sync()).rejects.toThrow(/capability to read content/);
    expect(source.documents.size).toBe(1);
  });

  test("a refused page is reported", async () => {
    await notion.put("Page", "The text.");
    notion.fail({ kind: "status", status: 403, path: /markdown/ }, 1);
    await expect(mirror().sync()).rejects.toMatchObject({ kind: "forbidden" });
  });

  test("a wrong token is refused, and is in no message", async () => {
    const error: unknown = await connector()
      .check(accessFor(undefined, "ntn_wrong"))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SignInRefused);
    expect(String(error)).not.toContain("ntn_wrong");
  });
});
