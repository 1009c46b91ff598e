import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { connectInMemory, type McpConnection } from "../support/mcp-client.js";
import { silentLog } from "../support/open-core.js";
import { openRest, type OpenedRest } from "../support/rest.js";

const PASSWORD = "xqhunter7zv";
const SENTENCE = `My wifi password is ${PASSWORD}.`;

let rest: OpenedRest;
let document: string;
let memory: string;

/** A password stated in a document that says other things too. */
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
  const { body } = await rest.send("POST", "/v3/documents", {
    content: `${SENTENCE} I like tea.`,
    containerTag: "home",
  });
  await rest.settle();
  document = body.id;
  const found = await rest.send("POST", "/v4/search", {
    q: "wifi password",
    containerTag: "home",
    searchMode: "memories",
  });
  memory = found.body.results[0].id;
});
afterEach(() => rest.close());

function connectToHome(): Promise<McpConnection> {
  const session = () => Promise.resolve({ core: rest.core, actor: rest.actor });
  const principal = () => ({ session, defaultContainer: "home" });
  return connectInMemory("v1", createMcpFactory({ principal, log: silentLog, version: "0.0.0" }));
}

const stating = () => [{ id: document, title: `${SENTENCE} I like tea.`, source: null, isLeftOut: true }];
const text = async () => (await rest.send("GET", `/v3/documents/${document}`)).body.content;
const found = async (q = "wifi password") =>
  JSON.stringify((await rest.send("POST", "/v4/search", { q, containerTag: "home" })).body);

describe("a forgotten memory that a document still states", () => {
  test("is reported with the document over REST, and left out of searches", async () => {
    const { body } = await rest.send("DELETE", "/v4/memories", { id: memory, containerTag: "home" });
    expect(body).toEqual({ id: memory, forgotten: true, removed: "memory", statedIn: stating() });
    expect(await found()).not.toContain(PASSWORD);
    expect(await found("tea")).not.toContain(PASSWORD);
    expect(await text()).toContain(PASSWORD);
  });

  test("is reported in a header by DELETE /v3/documents/{id}", async () => {
    const other = await rest.send("POST", "/v4/memories", {
      memories: [{ content: "Tea is green." }],
      containerTag: "home",
    });
    const { headers } = await rest.send("DELETE", `/v3/documents/${other.body.memories[0].id}`);
    expect([headers.get("x-recollect-removed"), headers.get("x-recollect-stated-in")]).toEqual(["memory", null]);
    const one = await rest.send("DELETE", `/v3/documents/${memory}`);
    expect([one.headers.get("x-recollect-removed"), one.headers.get("x-recollect-stated-in")]).toEqual([
      "memory",
      document,
    ]);
    expect(await text()).toContain(PASSWORD);
  });

  test("is reported by bulk deletion", async () => {
    const { body } = await rest.send("DELETE", "/v3/documents/bulk", { ids: [memory] });
    expect(body).toMatchObject({ removed: [{ id: memory, kind: "memory" }], statedIn: stating() });
  });

  test("is not reported for a document deleted in the same request", async () => {
    const { body } = await rest.send("DELETE", "/v3/documents/bulk", { ids: [memory, document] });
    expect(body).toMatchObject({ deletedCount: 2, statedIn: [] });
  });

  test("is reported by forget-matching, in a dry run and afterwards", async () => {
    const ask = { containerTag: "home", ids: [memory] };
    for (const dryRun of [true, false]) {
      const { body } = await rest.send("POST", "/v4/memories/forget-matching", { ...ask, dryRun });
      expect(body).toMatchObject({ count: 1, statedIn: stating() });
    }
  });

  test("is in no file once the memory is purged, and the rest of the document remains", async () => {
    await rest.send("DELETE", "/v4/memories", { id: memory, containerTag: "home" });
    const { body } = await rest.send("POST", "/v3/purge", { memoryId: memory, confirm: true });
    expect(body).toEqual({ documents: 0, memories: 1, files: 0, passages: 1, statedIn: [], complete: true });
    expect(findInFiles(rest.dataDirectory, [PASSWORD])).toEqual([]);
    await rest.settle();
    const { body: left } = await rest.send("GET", `/v3/documents/${document}`);
    expect(left).toMatchObject({ content: "I like tea.", title: "I like tea." });
    expect(findInFiles(rest.dataDirectory, [PASSWORD])).toEqual([]);
  });

  test("is reported with no document if it was written directly", async () => {
    const { body } = await rest.send("POST", "/v4/memories", {
      memories: [{ content: "The gate code is 7731" }],
      containerTag: "home",
    });
    const written = await rest.send("DELETE", "/v4/memories", { id: body.memories[0].id, containerTag: "home" });
    expect(written.body.statedIn).toEqual([]);
  });
});

test("an agent that forgets what a correction says is told which memory still says it", async () => {
  const send = async (content: string) => {
    await rest.send("POST", "/v3/documents", { content, containerTag: "home" });
    await rest.settle();
  };
  await send("The deploy key is abcd-1111.");
  await send("We changed the deploy key from abcd-1111 to efgh-2222.");
  const mcp = await connectToHome();
  const content = "The deploy key is efgh-2222";
  const answer = await mcp.call("forget", { content });
  expect(answer.structured).toMatchObject({
    forgotten: [{ text: content }],
    saidBy: [{ text: "User changed the deploy key from abcd-1111 to efgh-2222" }],
  });
  expect(answer.text).toContain("another memory still says it [");
  await mcp.close();
});

describe("a statement without a memory", () => {
  const passage = "The alarm code of the cabin is 9924.";
  let cabin: string;
  beforeEach(async () => {
    const added = { content: passage, containerTag: "home", taskType: "superrag" };
    cabin = (await rest.send("POST", "/v3/documents", added)).body.id;
    await rest.settle();
  });

  test("is reported with its document by forget-matching, in a dry run and afterwards", async () => {
    for (const dryRun of [true, false]) {
      const ask = { containerTag: "home", query: "alarm code of the cabin", dryRun };
      const { body } = await rest.send("POST", "/v4/memories/forget-matching", ask);
      expect(body).toMatchObject({ count: 0, statedIn: [{ id: cabin, title: passage, isLeftOut: false }] });
    }
    const { body } = await rest.send("POST", "/v4/memories/forget-matching", {
      containerTag: "home",
      query: "giraffes",
    });
    expect(body).toMatchObject({ count: 0, statedIn: [] });
  });

  test("is offered to an agent that looks for what to forget, unlike the document of a candidate", async () => {
    const mcp = await connectToHome();
    const asked = await mcp.call("forget", { query: "alarm code of the cabin" });
    expect(asked.structured["candidates"]).toEqual([]);
    expect(asked.structured["statedIn"]).toEqual([{ id: cabin, title: passage, isLeftOut: false }]);
    expect(asked.text).toContain("Passages of 1 document match too");
    expect(asked.text).toContain(`passages in the document [${cabin}]`);
    const other = await mcp.call("forget", { query: "wifi password" });
    expect(other.structured["candidates"]).toMatchObject([{ id: memory }]);
    expect(other.structured["statedIn"]).toEqual([]);
    await mcp.close();
  });
});

describe("an agent that forgets", () => {
  let mcp: McpConnection;
  beforeEach(async () => {
    mcp = await connectToHome();
  });
  afterEach(() => mcp.close());

  test("is told which document still states it, and can forget that document by its id", async () => {
    const forgotten = await mcp.call("forget", { id: memory });
    const told = stating().map(({ source: _source, ...rest }) => rest);
    expect(forgotten.structured["statedIn"]).toEqual(told);
    expect(forgotten.text).toContain("Searches leave it out, but the text of 1 document still states it: ask the user");
    expect(forgotten.text).toContain(`still stated in the document [${document}]`);
    await mcp.call("forget", { id: document });
    expect(await found()).not.toContain(PASSWORD);
  });

  test("is told of no document if none states it", async () => {
    const { body } = await rest.send("POST", "/v4/memories", {
      memories: [{ content: "The gate code is 7731" }],
      containerTag: "home",
    });
    const forgotten = await mcp.call("forget", { id: body.memories[0].id });
    expect(forgotten.structured["statedIn"]).toEqual([]);
    expect(forgotten.text).not.toContain("still");
  });
});
