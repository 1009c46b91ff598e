import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { INSTRUCTIONS } from "../../src/transports/mcp/about.js";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { CLIENTS, connectInMemory, type McpConnection, type ToolResult } from "../support/mcp-client.js";
import { openCore, silentLog, type OpenedCore } from "../support/open-core.js";

const ID = /^[1-9A-HJ-NP-Za-km-z]{22}$/;
const NOTICE = expect.stringContaining("never instructions");

let opened: OpenedCore;
let mcp: McpConnection;
/** Each test has its own container. */
let box: string;
let boxes = 0;

beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());
beforeEach(() => {
  boxes += 1;
  box = `box-${boxes}`;
});
afterEach(() => mcp.close());

async function connect(client: (typeof CLIENTS)[number] = "v1"): Promise<void> {
  const session = () => Promise.resolve({ core: opened.core, actor: opened.actor });
  mcp = await connectInMemory(
    client,
    createMcpFactory({ principal: () => ({ session, defaultContainer: box }), log: silentLog, version: "0.0.0" }),
  );
}

async function call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
  const result = await mcp.call(name, args);
  if (result.isError) throw new Error(result.text);
  return result;
}

const add = (content: string, rest: Record<string, unknown> = {}) =>
  call("add-memory", { content, containerTag: box, wait: 30, ...rest });

const state = (...facts: (string | Record<string, unknown>)[]) =>
  add(facts.map((fact) => (typeof fact === "string" ? fact : fact["text"])).join(" "), {
    facts: facts.map((fact) => (typeof fact === "string" ? { text: fact } : fact)),
  });

interface Named {
  readonly id: string;
  readonly text: string;
}

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
const listed = (result: ToolResult, field: string) => result.structured[field] as readonly Named[];
const firstId = (result: ToolResult, field: string) => listed(result, field)[0]?.id ?? "";
const textsOf = (result: ToolResult, field: string) => listed(result, field).map(({ text }) => text);

describe.each(CLIENTS)("with the client %s", (client) => {
  beforeEach(() => connect(client));

  test("introduces itself and always lists the same tools", async () => {
    expect(mcp.instructions).toBe(INSTRUCTIONS);
    const tools = await mcp.listTools();
    expect(tools.map(({ name }) => name).join(" ")).toBe(
      "search add-memory profile fetch forget undo pending-extractions submit-extraction",
    );
    expect(await mcp.listTools()).toEqual(tools);
  });

  test("stores, finds, shows, updates and forgets", async () => {
    const receipt = await state("Marie lives in Lyon.");
    const old = firstId(receipt, "added");
    expect(textsOf(await call("search", { query: "Where does Marie live?", containerTag: box }), "results")).toContain(
      "Marie lives in Lyon.",
    );
    const update = await state({ text: "Marie lives in Paris.", updates: old });
    expect(update.structured["updated"]).toEqual([
      {
        id: expect.stringMatching(ID),
        replaced: old,
        statedIn: [{ id: receipt.structured["documentId"], title: "Marie lives in Lyon.", isLeftOut: true }],
        searchableAt: MOMENT,
      },
    ]);
    expect(textsOf(await call("profile", { containerTag: box }), "dynamic")).toEqual(["Marie lives in Paris."]);
    expect((await call("fetch", { id: old })).structured).toMatchObject({
      status: "superseded",
      newerId: firstId(update, "updated"),
    });
    await call("forget", { id: firstId(update, "updated") });
    const memories = { query: "Where does Marie live?", containerTag: box, mode: "memories" };
    expect((await call("search", memories)).structured["results"]).toEqual([]);
  });

  test("returns text for a failed call, and a protocol error for an unknown tool", async () => {
    const result = await mcp.call("fetch", { id: "nothing" });
    expect(result).toMatchObject({ isError: true, structured: {} });
    expect(result.text).toBe("Document not found: nothing. Call search to find valid ids.");
    await expect(mcp.call("remember-all", {})).rejects.toThrow("Tool remember-all not found");
  });
});

describe("the tools", () => {
  test("carry all four hints, and only forget and undo are destructive", async () => {
    await connect();
    const hints = Object.fromEntries((await mcp.listTools()).map(({ name, annotations }) => [name, annotations]));
    const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    expect(hints).toEqual({
      search: readOnly,
      fetch: readOnly,
      profile: readOnly,
      "add-memory": { ...readOnly, readOnlyHint: false },
      forget: { ...readOnly, readOnlyHint: false, destructiveHint: true },
      undo: { ...readOnly, readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      "pending-extractions": { ...readOnly, readOnlyHint: false, idempotentHint: false },
      "submit-extraction": { ...readOnly, readOnlyHint: false },
    });
  });

  test("have a title, a description and schemas", async () => {
    await connect();
    expect(await mcp.listTools()).not.toEqual([]);
    for (const tool of await mcp.listTools()) {
      expect(tool.title).toMatch(/^[A-Z]/);
      expect(tool.description?.length).toBeGreaterThan(50);
      expect(tool.inputSchema).toMatchObject({ type: "object" });
      expect(tool.outputSchema).toEqual({ type: "object" });
    }
  });
});

describe("add-memory", () => {
  beforeEach(() => connect());

  test("returns a receipt with what was added and what was already known", async () => {
    const first = await state("Omar plays the cello.", { text: "Omar was born on 3 May 1990.", isStatic: true });
    expect(first.structured).toEqual({
      documentId: expect.stringMatching(ID),
      status: "done",
      containerTag: box,
      searchable: true,
      added: [
        { id: expect.stringMatching(ID), searchableAt: MOMENT },
        { id: expect.stringMatching(ID), searchableAt: MOMENT },
      ],
      updated: [],
      duplicates: [],
      outdated: [],
      review: [],
      error: null,
      notice: NOTICE,
    });
    const ids = listed(first, "added").map(({ id }) => `[${id}]`);
    expect(first.text).toBe(
      `Stored in ${box} as document [${String(first.structured["documentId"])}]. It is searchable now. Memories: 2 added ${ids.join(" ")}.`,
    );
    const again = await state("Omar plays the cello.");
    expect(again.structured).toMatchObject({
      added: [],
      duplicates: [{ id: firstId(first, "added") }],
    });
    expect(again.text).toContain(`1 already known [${firstId(first, "added")}].`);
  });

  test("stores a text until a given time, and says so", async () => {
    const facts = [{ text: "Omar plays the cello." }];
    const later = await add("Omar plays the cello.", { facts, forgetAfter: "2099-01-01" });
    expect(later.text).toContain("It is searchable until 2099-01-01.");
    const search = () => call("search", { query: "Who plays the cello?", containerTag: box });
    expect((await search()).text).toContain("Omar plays the cello.");
    const { documentId } = later.structured;
    await opened.core.updateDocument({ actor: opened.actor }, { id: documentId, forgetAfter: "2001-02-03" });
    expect((await search()).text).not.toContain("Omar plays the cello.");
    const refused = await mcp.call("add-memory", { content: "x", containerTag: box, forgetAfter: "soon" });
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringContaining("forgetAfter: must be an ISO 8601"),
    ]);
  });

  test("puts lasting facts into the static part of the profile", async () => {
    await state({ text: "Omar was born on 3 May 1990.", isStatic: true }, "Omar plays the cello.");
    const profile = await call("profile", { containerTag: box });
    expect(textsOf(profile, "static")).toEqual(["Omar was born on 3 May 1990."]);
    expect(textsOf(profile, "dynamic")).toEqual(["Omar plays the cello."]);
  });

  test("remembers the text itself when given no facts", async () => {
    const receipt = await add("The boiler is behind the red door.", { facts: [] });
    expect(textsOf(receipt, "added")).toEqual([expect.stringContaining("boiler is behind the red door")]);
  });

  test("returns as soon as the text is stored when it should not wait", async () => {
    const { text, structured } = await add("Iris collects stamps.", { wait: 0 });
    expect(structured).toMatchObject({ status: "queued", searchable: false, added: [], error: null });
    expect(text).toContain("safely stored");
    expect(text).toContain("Its facts are still being extracted.");
    const fetched = await call("fetch", { id: structured["documentId"] });
    expect(fetched.structured["text"]).toBe("Iris collects stamps.");
    await opened.settle();
    const found = await call("search", { query: "What does Iris collect?", containerTag: box });
    expect(textsOf(found, "results").join()).toContain("stamps");
  });

  test("stores metadata, which filters match", async () => {
    await add("Blue is for drafts.", { metadata: { topic: "colours", rank: 2 } });
    await add("Blue is for the sky.", { metadata: { topic: "nature", rank: 1 } });
    const where = (filters: unknown) => call("search", { query: "What is blue for?", containerTag: box, filters });
    const colours = await where({ AND: [{ key: "topic", value: "colours" }] });
    expect(new Set(textsOf(colours, "results"))).toEqual(new Set(["Blue is for drafts."]));
    const asText = await where('{"AND":[{"key":"topic","value":"nature"}]}');
    expect(new Set(textsOf(asText, "results"))).toEqual(new Set(["Blue is for the sky."]));
  });

  test("replaces a text that is added again under the same customId", async () => {
    const first = await add("The code word is heron.", { customId: "word" });
    const second = await add("The code word is finch.", { customId: "word" });
    expect(second.structured["documentId"]).toBe(first.structured["documentId"]);
    expect((await call("fetch", { id: "word" })).structured["text"]).toBe("The code word is finch.");
  });

  test("uses the default container when none is named, as all tools do", async () => {
    const receipt = await mcp.call("add-memory", {
      content: "Noor keeps bees.",
      facts: [{ text: "Noor keeps bees." }],
    });
    expect(receipt.structured["containerTag"]).toBe(box);
    expect(textsOf(await call("search", { query: "Who keeps bees?" }), "results")).toContain("Noor keeps bees.");
    expect(textsOf(await call("profile"), "dynamic")).toEqual(["Noor keeps bees."]);
    const forgotten = await call("forget", { content: "Noor keeps bees." });
    expect(textsOf(forgotten, "forgotten")).toEqual(["Noor keeps bees."]);
  });
});

describe("search", () => {
  beforeEach(() => connect());

  test("shows each result with id, kind, similarity, date and source", async () => {
    const receipt = await state("Ada repairs clocks.");
    const { text, structured } = await call("search", {
      query: "Who repairs clocks?",
      containerTag: box,
      mode: "memories",
    });
    const id = firstId(receipt, "added");
    expect(structured).toEqual({
      results: [
        {
          id,
          kind: "memory",
          text: "Ada repairs clocks.",
          similarity: expect.any(Number),
          title: "Ada repairs clocks.",
          url: `memory://memories/${id}`,
          documentId: receipt.structured["documentId"],
          containerTag: box,
          date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          metadata: null,
          origin: "agent",
          trust: "trusted",
        },
      ],
      waiting: 0,
      degraded: [],
      notice: NOTICE,
    });
    expect(text).toMatch(new RegExp(`^1 result in ${box}, best first\\.`));
    expect(text).toMatch(
      new RegExp(`^\\[${id}\\] \\(memory, similarity [01]\\.\\d\\d, \\d{4}-\\d\\d-\\d\\d\\) Ada`, "m"),
    );
  });

  test("returns chunks with the id of their document, so that every id can be fetched", async () => {
    const receipt = await add("The archive is in the basement of the old town hall.");
    const found = await call("search", { query: "Where is the archive?", containerTag: box, mode: "documents" });
    expect(found.structured["results"]).toMatchObject([{ kind: "chunk", id: receipt.structured["documentId"] }]);
    const hybrid = await call("search", { query: "Where is the archive?", containerTag: box });
    expect(listed(hybrid, "results")).not.toEqual([]);
    for (const { id } of listed(hybrid, "results")) expect((await call("fetch", { id })).structured["id"]).toBe(id);
  });

  test("stays in its container", async () => {
    await state("The safe is behind the painting.");
    const elsewhere = await call("search", { query: "Where is the safe?", containerTag: `${box}-other` });
    expect(elsewhere.structured["results"]).toEqual([]);
    expect(elsewhere.text).toMatch(/^There is no container box-\d+-other\. Existing containers: .*box-\d+/);
    const nothing = await call("search", { query: "Which violin does Zoe play?", containerTag: box });
    expect(nothing.text).toMatch(/^Nothing in box-\d+ is similar enough\./);
    const filters = { AND: [{ key: "room", value: "attic" }] };
    const filtered = await call("search", { query: "Where is the safe?", containerTag: box, filters });
    expect(filtered.text).toMatch(/^Nothing in box-\d+ that satisfies the filters is similar enough\./);
  });

  test("respects limit and threshold", async () => {
    await state("Tim has a red bike.", "Tim has a blue car.", "Tim has a green boat.");
    const search = (rest: Record<string, unknown>) =>
      call("search", { query: "What does Tim have?", containerTag: box, mode: "memories", threshold: 0, ...rest });
    expect(listed(await search({}), "results")).toHaveLength(3);
    expect(listed(await search({ limit: 2 }), "results")).toHaveLength(2);
    expect((await search({ threshold: 1, query: "airport security rules" })).structured["results"]).toEqual([]);
  });

  test("says how many documents are still being processed", async () => {
    await state("Warm up.");
    await add("Zoe swims on Mondays.", { wait: 0 });
    const { text, structured } = await call("search", { query: "When does Zoe swim?", containerTag: box });
    const waiting = structured["waiting"] as number;
    // Processing may have finished before this search; text and number must agree either way.
    expect([0, 1]).toContain(waiting);
    expect(text.includes("1 document of this container is still being processed")).toBe(waiting === 1);
    await opened.settle();
    expect((await call("search", { query: "When does Zoe swim?", containerTag: box })).structured["waiting"]).toBe(0);
  });

  test("shortens long chunks in the text, not in the structured data", async () => {
    const turn = `User: ${"The committee met again and spoke about the bridge at length. ".repeat(60)}`;
    await add(`${turn}\nAssistant: Noted.`);
    const { text, structured } = await call("search", {
      query: "committee bridge",
      containerTag: box,
      mode: "documents",
    });
    const [hit] = structured["results"] as readonly Named[];
    expect(hit?.text.length).toBeGreaterThan(2_000);
    expect(text).toContain(`… (cut; fetch ${hit?.id} for all)`);
    expect(text.length).toBeLessThan(2_500);
  });
});

describe("fetch", () => {
  beforeEach(() => connect());

  test("returns a memory with the documents that state it", async () => {
    const receipt = await state("Leo studies law.");
    const id = firstId(receipt, "added");
    const { structured, text } = await call("fetch", { id });
    expect(structured).toEqual({
      id,
      kind: "memory",
      title: "Leo studies law.",
      text: "Leo studies law.",
      url: `memory://memories/${id}`,
      metadata: {},
      containerTags: [box],
      date: expect.any(String),
      status: "latest",
      related: [receipt.structured["documentId"]],
      origin: "agent",
      trust: "trusted",
      newerId: null,
      nextOffset: null,
      notice: NOTICE,
    });
    expect(text).toContain(`Documents that state it: [${String(receipt.structured["documentId"])}]`);
  });

  test("returns a long document page by page, without gaps or split characters", async () => {
    const content = `${"The 🎈 rises. ".repeat(9_000)}The end.`;
    const { structured } = await add(content, { wait: 0 });
    const pages: string[] = [];
    let offset: unknown = 0;
    while (typeof offset === "number") {
      const page = await call("fetch", { id: structured["documentId"], offset });
      pages.push(page.structured["text"] as string);
      offset = page.structured["nextOffset"];
      if (typeof offset === "number") expect(page.text).toContain(`call fetch with offset ${offset}`);
      expect(pages.at(-1)?.isWellFormed()).toBe(true);
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.join("")).toBe(content);
    await call("forget", { id: structured["documentId"] });
  });

  test("returns nothing beyond the end, and no error", async () => {
    const receipt = await state("Short.");
    const { structured } = await call("fetch", { id: receipt.structured["documentId"], offset: 1_000_000 });
    expect(structured).toMatchObject({ text: "", nextOffset: null });
  });
});

describe("forget", () => {
  beforeEach(() => connect());

  const found = async (query: string) =>
    textsOf(await call("search", { query, containerTag: box, mode: "memories" }), "results");

  test("by query lists what could be meant, and forgets nothing", async () => {
    const receipt = await state("Eva is allergic to nuts.");
    const { text, structured } = await call("forget", { query: "Eva's allergy to nuts", containerTag: box });
    expect(structured).toEqual({
      forgotten: [],
      documents: [],
      statedIn: [],
      candidates: [{ id: firstId(receipt, "added"), text: "Eva is allergic to nuts.", similarity: expect.any(Number) }],
      batchId: null,
      notice: NOTICE,
    });
    expect(text).toContain("Nothing was forgotten yet.");
    expect(text).toContain("call forget again with the ids");
    expect(await found("Is Eva allergic to nuts?")).toEqual(["Eva is allergic to nuts."]);
    const none = await call("forget", { query: "train timetable to Oslo", containerTag: box });
    expect(none.text).toBe("Nothing matches the query. Nothing was forgotten.");
  });

  test("by ids forgets them all, and says what they were", async () => {
    const receipt = await state("Ben likes chess.", "Ben likes tea.");
    const ids = listed(receipt, "added").map(({ id }) => id);
    const { text, structured } = await call("forget", { ids, reason: "asked" });
    const [chess, tea] = ids;
    expect(structured["forgotten"]).toEqual([
      { id: chess, text: "Ben likes chess." },
      { id: tea, text: "Ben likes tea." },
    ]);
    expect(text).toContain("2 memories forgotten.");
    expect(await found("What does Ben like?")).toEqual([]);
  });

  test("by text needs the exact text", async () => {
    await state("Kim sings in a choir.");
    const inexact = await mcp.call("forget", { content: "Kim sings", containerTag: box });
    expect(inexact).toMatchObject({ isError: true });
    expect(inexact.text).toContain("No memory with exactly this text");
    await call("forget", { content: "Kim sings in a choir.", containerTag: box });
    expect(await found("Who sings in a choir?")).toEqual([]);
  });

  test("by the id of a document removes it with what only it stated", async () => {
    const first = await state("Pia paints boats.", "Pia lives in Kiel.");
    await state("Pia lives in Kiel.");
    const documentId = first.structured["documentId"];
    const { text, structured } = await call("forget", { id: documentId });
    expect(structured).toMatchObject({ forgotten: [], documents: [{ id: documentId }] });
    expect(text).toContain("1 document removed");
    expect(await mcp.call("fetch", { id: String(documentId) })).toMatchObject({ isError: true });
    expect(await found("What does Pia paint?")).not.toContain("Pia paints boats.");
    expect(await found("Where does Pia live?")).toEqual(["Pia lives in Kiel."]);
  });

  test("accepts memories and documents together", async () => {
    const first = await state("Gus fixes roofs.");
    const second = await add("A note about gutters.", { customId: "gutters" });
    const ids = [firstId(first, "added"), "gutters"];
    const { structured } = await call("forget", { ids });
    expect(structured).toMatchObject({
      forgotten: [{ id: ids[0] }],
      documents: [{ id: second.structured["documentId"] }],
    });
  });

  test("forgets nothing when one of the ids is unknown", async () => {
    const receipt = await state("Rosa writes poems.");
    const documentId = receipt.structured["documentId"];
    const result = await mcp.call("forget", { ids: [firstId(receipt, "added"), String(documentId), "unknown"] });
    expect(result).toMatchObject({ isError: true });
    expect(result.text).toContain("There is no memory or document unknown. Nothing was forgotten.");
    expect(await found("What does Rosa write?")).toEqual(["Rosa writes poems."]);
    expect((await call("fetch", { id: documentId })).structured["id"]).toBe(documentId);
  });

  test("does not affect a container other than the given one", async () => {
    const receipt = await state("Ivo rows.");
    for (const id of [firstId(receipt, "added"), String(receipt.structured["documentId"])])
      expect(await mcp.call("forget", { id, containerTag: `${box}-other` })).toMatchObject({ isError: true });
    expect(await found("Who rows?")).toEqual(["Ivo rows."]);
  });

  test("says when something is already forgotten", async () => {
    const receipt = await state("Uma dives.");
    const id = firstId(receipt, "added");
    await call("forget", { id });
    const again = await mcp.call("forget", { id });
    expect(again).toMatchObject({ isError: true });
    expect(again.text).toContain("already forgotten. Nothing was changed.");
  });
});

describe("profile", () => {
  beforeEach(() => connect());

  test("of an empty container says that nothing is known", async () => {
    const { text, structured } = await call("profile", { containerTag: box });
    expect(text).toBe(`Nothing is known in ${box} yet.`);
    expect(structured).toMatchObject({ static: [], dynamic: [], results: [], waiting: null });
  });

  test("answers a question at the same time", async () => {
    await state({ text: "Nils is vegetarian.", isStatic: true }, "Nils plans a trip to Rome.");
    const { text, structured } = await call("profile", { containerTag: box, q: "Where does Nils travel?" });
    expect(structured).toMatchObject({ waiting: 0 });
    expect(listed({ text, texts: [text], structured, isError: false }, "results").length).toBeGreaterThan(0);
    expect(text).toMatch(/Lasting:\n\[\w+\] \(\d{4}-\d\d-\d\d\) Nils is vegetarian\./);
    expect(text).toMatch(/Recent:\n\[\w+\] \(\d{4}-\d\d-\d\d\) Nils plans a trip to Rome\./);
    expect(text).toContain("For the question:\n[");
  });
});
