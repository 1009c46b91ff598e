import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { connectInMemory, type McpConnection, type ToolResult } from "../support/mcp-client.js";
import { openCore, silentLog, type OpenedCore } from "../support/open-core.js";

let opened: OpenedCore;
let mcp: McpConnection;
let box: string;
let boxes = 0;

beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());
beforeEach(async () => {
  boxes += 1;
  box = `box-${boxes}`;
  mcp = await connect();
});
afterEach(() => mcp.close());

function connect(isPinned = false): Promise<McpConnection> {
  const session = () => Promise.resolve({ core: opened.core, actor: opened.actor });
  const principal = () => ({ session, defaultContainer: box, isPinned });
  return connectInMemory("v1", createMcpFactory({ principal, log: silentLog, version: "0.0.0" }));
}

async function call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
  const result = await mcp.call(name, args);
  if (result.isError) throw new Error(result.text);
  return result;
}

const add = (content: string, rest: Record<string, unknown> = {}) => call("add-memory", { content, wait: 30, ...rest });
const state = (text: string) => add(text, { facts: [{ text }] });
const listed = (result: ToolResult, field: string) =>
  result.structured[field] as readonly { id: string; text: string }[];
const firstId = (result: ToolResult, field = "added") => listed(result, field)[0]?.id ?? "";
const find = async (query: string, mode = "memories") =>
  listed(await call("search", { query, mode }), "results").map(({ text }) => text);

describe("undo", () => {
  test("restores what was forgotten, by the batch that forget returns", async () => {
    const id = firstId(await state("Ivo breeds snails."));
    const { structured, text } = await call("forget", { id });
    expect(text).toContain(`To bring the memories back: undo with batch ${String(structured["batchId"])}.`);
    expect(await find("What does Ivo breed?")).toEqual([]);
    const undone = await call("undo", { batchId: structured["batchId"] });
    expect(undone.structured).toMatchObject({ undone: 1, skipped: [] });
    expect(undone.text).toBe(`1 change undone as batch ${String(undone.structured["batchId"])}.`);
    expect(await find("What does Ivo breed?")).toEqual(["Ivo breeds snails."]);
    await call("undo", { batchId: undone.structured["batchId"] });
    expect(await find("What does Ivo breed?")).toEqual([]);
  });

  test("reverts the last change of a memory", async () => {
    const id = firstId(await state("Ivo breeds snails."));
    await call("undo", { memoryId: id });
    expect(await find("What does Ivo breed?")).toEqual([]);
  });

  test.each([[{}], [{ batchId: "x", memoryId: "y" }]])(
    "requires exactly one of batchId and memoryId: %j",
    async (args) => {
      expect(await mcp.call("undo", args)).toMatchObject({
        isError: true,
        text: expect.stringContaining("exactly one of batchId and memoryId"),
      });
    },
  );

  test("finds nothing of another container for a pinned caller", async () => {
    const id = firstId(await state("Ivo breeds snails."));
    const { structured } = await call("forget", { id });
    box = "another";
    const pinned = await connect(true);
    try {
      for (const args of [{ batchId: structured["batchId"] }, { memoryId: id }])
        expect(await pinned.call("undo", args)).toMatchObject({
          isError: true,
          text: expect.stringContaining("no batch"),
        });
    } finally {
      await pinned.close();
    }
    box = `box-${boxes}`;
    expect(await find("What does Ivo breed?")).toEqual([]);
  });
});

describe("add-memory", () => {
  test("stores the date of a text, and refuses an invalid one", async () => {
    const { structured } = await add("I moved to Porto yesterday.", { date: "2024-05-06" });
    const document = await call("fetch", { id: structured["documentId"] });
    expect(document.structured["date"]).toContain("2024-05-06");
    const refused = await mcp.call("add-memory", { content: "x", date: "lately" });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringContaining("documentDate: must be an ISO 8601"),
    });
  });

  test("does not report content as searchable that has already expired", async () => {
    const { text, structured } = await add("Ivo breeds snails.", { forgetAfter: "2001-02-03" });
    expect(structured["searchable"]).toBe(false);
    expect(text).toContain("It is not searchable.");
    expect(structured["warnings"]).toEqual([
      expect.stringMatching(/^forgetAfter: 2001-02-03T00:00:00.000Z has passed/),
    ]);
    expect(text).toContain("Warning: forgetAfter: 2001-02-03T00:00:00.000Z has passed");
    expect(await find("What does Ivo breed?", "hybrid")).toEqual([]);
  });

  test("answers in one line, without the text that was sent, but with the facts that rules found", async () => {
    const sent = await state("Ivo breeds snails.");
    expect(sent.text.split("\n")).toHaveLength(1);
    expect(JSON.stringify([sent.text, sent.structured])).not.toContain("snails");
    const read = await add("I live in Lisbon. I prefer green tea to coffee.");
    expect(read.text.split("\n")).toHaveLength(1);
    expect(listed(read, "added").map(({ text }) => text)).toEqual([
      "User lives in Lisbon",
      "User prefers green tea to coffee",
    ]);
  });
});

test("fetching a forgotten memory says when and by whom it was forgotten, not what it said", async () => {
  const id = firstId(await state("Ivo breeds snails."));
  await call("forget", { id });
  const { isError, text } = await mcp.call("fetch", { id });
  expect(isError).toBe(true);
  expect(text).toMatch(new RegExp(`^Memory ${id} was forgotten at \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z by local\\.`));
  expect(text).not.toContain("snails");
});

describe("a search does not return both a memory and the chunk that says the same", () => {
  test.each([
    ["in the words of the fact", "Ivo breeds snails.", undefined, "What does Ivo breed?"],
    ["by rules", "I prefer green tea to coffee.", undefined, "green tea or coffee"],
    [
      "stated by the agent",
      "I breed snails in the garden",
      "User breeds snails in the garden",
      "which animals in the garden",
    ],
  ])("%s", async (_how, content, fact, query) => {
    await add(content, { facts: [{ text: fact ?? content }] });
    const results = listed(await call("search", { query }), "results");
    expect(results.map(({ text }) => text)).toEqual([fact ?? content]);
  });
});

describe("forget", () => {
  test("warns when the reason is recorded nowhere", async () => {
    const receipt = await state("Pia paints boats.");
    const because = { reason: "asked" };
    const listed = await call("forget", { query: "Pia paints boats", ...because });
    expect(listed.text).toContain("Warning: reason has no effect with query, which forgets nothing.");
    const removed = await call("forget", { id: receipt.structured["documentId"], ...because });
    expect(removed.text).toContain("Warning: reason has no effect on a document, whose removal records none.");
    const other = await state("Pia builds kites.");
    const forgotten = await call("forget", { ids: [firstId(other, "added")], ...because });
    expect(forgotten.text).not.toContain("Warning");
  });
});
