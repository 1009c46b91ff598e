import { describe, expect, test } from "vitest";
import { chunkDocument } from "../../src/ingest/chunk.js";

const ROWS = Array.from({ length: 60 }, (_, index) => `| Boat ${index + 1} | ${index + 4} m | ${index * 3} crowns |`);
const HEADER = "| Boat | Length | Fee |\n| --- | --- | --- |";
const TABLE = `${HEADER}\n${ROWS.join("\n")}`;

describe("a split table", () => {
  test("repeats its header in each piece, and neither loses nor repeats a row", async () => {
    const chunks = await chunkDocument({
      type: "markdown",
      content: `# Fees\n\nWhat boats pay.\n\n${TABLE}\n\nPay at the office.`,
    });
    const pieces = chunks.filter(({ content }) => content.includes("| Boat "));
    expect(pieces.length).toBeGreaterThan(3);
    for (const { content, metadata } of pieces) {
      expect(content.startsWith(`${HEADER}\n| Boat `)).toBe(true);
      expect(content.length).toBeLessThanOrEqual(500);
      expect(metadata).toEqual({ headings: ["Fees"] });
    }
    expect(pieces.flatMap(({ content }) => content.split("\n").slice(2))).toEqual(ROWS);
    const others = chunks.filter(({ content }) => !content.includes("| Boat ")).map(({ content }) => content);
    expect(others).toEqual(["# Fees\n\nWhat boats pay.", "Pay at the office."]);
  });

  test("respects a requested size in bytes and characters, even with rows longer than a piece", async () => {
    const long = `| Hulk | ${"very ".repeat(200)}long | 1 crown |`;
    for (const strategy of ["markdown", "auto"] as const) {
      const chunks = await chunkDocument({
        type: "markdown",
        content: `${HEADER}\n${[...ROWS, long].join("\n")}`,
        chunking: { strategy, size: 300, overlap: 0 },
      });
      expect(chunks).not.toEqual([]);
      for (const { content } of chunks) expect(content.length).toBeLessThanOrEqual(300);
      const words = chunks.flatMap(({ content }) => content.split("\n").slice(2).join(" ").split(/\s+/)).join(" ");
      expect(words.match(/very/g)).toHaveLength(200);
    }
  });

  test("a short table stays with the text around it", async () => {
    const content = `What boats pay.\n\n${HEADER}\n${ROWS.slice(0, 3).join("\n")}\n\nPay at the office.`;
    expect(await chunkDocument({ type: "markdown", content })).toHaveLength(1);
  });
});

test("each piece has the place of most of its text", async () => {
  const pages = ["First.", "Second.", "Third."].map((word) => `${word} ${`${word} page here. `.repeat(30)}`.trim());
  const offsets = pages.map((_, index) => pages.slice(0, index).reduce((sum, page) => sum + page.length + 2, 0));
  const chunks = await chunkDocument({
    type: "markdown",
    content: pages.join("\n\n"),
    places: offsets.map((offset, index) => [offset, { page: index + 1 }] as const),
  });
  expect(chunks.length).toBeGreaterThanOrEqual(3);
  for (const { content, metadata } of chunks) {
    const counts = ["First", "Second", "Third"].map((word) => content.split(word).length);
    expect(metadata).toEqual({ page: counts.indexOf(Math.max(...counts)) + 1 });
  }
});

test("a short slide title is kept with the text that follows, at the place of that text", async () => {
  const title = "# The harbour of Ostrava";
  const content = `${title}\n\nThe office opens at six in the morning and closes at nine in the evening.`;
  const places = [
    [0, { slide: 1 }],
    [title.length + 2, { slide: 2 }],
  ] as const;
  const chunks = await chunkDocument({ type: "markdown", content, places });
  expect(chunks.map(({ metadata }) => metadata?.["slide"])).toEqual(chunks.map(() => 2));
});

test("the cell range of a piece is on the sheet that contains most of it", async () => {
  const rows = "| 1 | 2 |\n".repeat(20);
  const content = `Total.\n\n${rows}\n${rows}`;
  const places = [
    [0, { sheet: "A", range: "A1:A1" }],
    [8, { sheet: "B", range: "A1:B20" }],
    [9 + rows.length, { sheet: "B", range: "A21:B40" }],
  ] as const;
  const chunks = await chunkDocument({
    type: "markdown",
    content,
    places,
    chunking: { strategy: "markdown", size: 2_000, overlap: 0 },
  });
  expect(chunks.map(({ metadata }) => metadata)).toEqual([
    { sheet: "B", range: "A1:B20" },
    { sheet: "B", range: "A21:B40" },
  ]);
});

test("notes beside a recording are kept apart from what was said in it, however short", async () => {
  const remark = "Check names.";
  const content = `${remark}\n\nThe harbour opens at six.`;
  const places = [[remark.length + 2, { time: [1, 4] as const }]] as const;
  const chunks = await chunkDocument({ type: "text", content, places });
  expect(chunks.map((chunk) => [chunk.content, chunk.metadata])).toEqual([
    [remark, null],
    ["The harbour opens at six.", { time: [1, 4] }],
  ]);
});
