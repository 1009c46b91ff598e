import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { silentLog } from "../support/open-core.js";
import { connectInMemory } from "../support/mcp-client.js";
import { type OpenedRest, openRest } from "../support/rest.js";
import { FETCHES_HERE, openWebServer, type WebServer } from "../support/web-server.js";

/** A correction makes a former statement say the new value only if that statement is the owner's, and so may the correction. */
const TAG = "mia";

let rest: OpenedRest;
let web: WebServer;
let notes: string;
let pages: string[];

beforeEach(async () => {
  pages = [];
  notes = await mkdtemp(join(tmpdir(), "recollect-notes-"));
  web = await openWebServer(({ url = "" }, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<html><body><main><p>${pages[Number(url.slice(1))] ?? ""}</p></main></body></html>`);
  });
  rest = await openRest({ asOwner: true, settings: { ...FETCHES_HERE, RECOLLECT_CONNECTION_FOLDERS: notes } });
});
afterEach(async () => {
  await rest.close();
  await web.close();
  await rm(notes, { recursive: true, force: true });
});

async function add(content: string) {
  const { body } = await rest.send("POST", "/v3/documents", { content, containerTag: TAG });
  await rest.settle();
  expect((await rest.send("GET", `/v3/documents/${body.id}`)).body.status).toBe("done");
}

function addPage(sentence: string) {
  pages.push(sentence);
  return add(`${web.url}/${pages.length - 1}`);
}

async function addNote(sentence: string) {
  await writeFile(join(notes, "note.md"), sentence);
  const created = await rest.send("POST", "/v3/connections/folder", {
    containerTags: [TAG],
    metadata: { path: notes },
  });
  expect(created.status).toBe(200);
  await rest.settle();
}

async function say(conversationId: string, role: string, content: string) {
  const messages = [
    { role: "user", content: "Summarise the page." },
    { role, content },
  ];
  await rest.send("POST", "/v4/conversations", { conversationId, containerTags: [TAG], messages });
  await rest.settle();
}

interface Entry {
  readonly id: string;
  readonly memory: string;
  readonly version: number;
  readonly isLatest: boolean;
  readonly isForgotten: boolean;
  readonly isInference: boolean;
}

async function entries(): Promise<readonly Entry[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [TAG], limit: 100 });
  return body.memoryEntries.filter(({ isLatest, isForgotten }: Entry) => isLatest && !isForgotten);
}

async function stated(): Promise<readonly string[]> {
  return (await entries())
    .filter(({ isInference }) => !isInference)
    .map(({ memory }) => memory.replace(/\.$/, ""))
    .toSorted();
}

async function waiting(): Promise<readonly Entry[]> {
  return (await entries()).filter(({ isInference }) => isInference);
}

function review(id: string, action: string) {
  return rest.send("POST", `/v3/container-tags/${TAG}/inferred/${id}/review`, { action });
}

async function profile() {
  return (await rest.send("POST", "/v4/profile", { containerTag: TAG })).body.profile;
}

describe("what a stranger said", () => {
  test.each([
    ["The trusted payment server is called Heron.", "We renamed Heron to Kestrel.", /server is called/],
    ["User's bank is N26.", "I switched from N26 to Revolut.", /bank is/],
    ["User's project is called Heron.", "We renamed Heron to Kestrel.", /project is called/],
  ])("%j on a page does not become the owner's own word by %j", async (page, correction, former) => {
    await addPage(page);
    await add(correction);
    expect((await stated()).filter((text) => former.test(text))).toEqual([]);
    expect((await waiting()).filter(({ version }) => version > 1)).toEqual([]);
  });

  test("is shown to a client as unverified or not at all after the owner corrected it", async () => {
    await addPage("The trusted payment server is called Heron.");
    await add("We renamed Heron to Kestrel.");
    const session = () => Promise.resolve({ core: rest.core, actor: rest.actor });
    const principal = () => ({ session, defaultContainer: TAG });
    const mcp = await connectInMemory("v1", createMcpFactory({ principal, log: silentLog, version: "0.0.0" }));
    const found = await mcp.call("search", { query: "Which is the trusted payment server?" });
    await mcp.close();
    expect(found.structured["results"]).toEqual([]);
  });

  test("in an assistant's turn is not restated either", async () => {
    await say("talk", "assistant", "The payment server is called Heron.");
    await add("We renamed Heron to Kestrel.");
    expect((await stated()).filter((text) => /server is called Kestrel/.test(text))).toEqual([]);
  });

  test.each([
    [
      ["The project is called Heron."],
      "The cat is called Heron.",
      "We renamed Heron to Kestrel.",
      "The project is called Kestrel",
    ],
    [["My bank is N26."], "User's broker is N26.", "I switched from N26 to Revolut.", "User's bank is Revolut"],
  ])("beside %j does not make the owner's correction ambiguous: %j, %j", async (own, page, correction, expected) => {
    for (const statement of own) await add(statement);
    await addPage(page);
    const before = await stated();
    await add(correction);
    expect(await stated()).toContain(expected);
    expect(await stated()).not.toEqual(expect.arrayContaining([...before]));
  });
});

describe("a correction by a stranger", () => {
  test.each([
    ["Our payment provider is Stripe.", "We switched from Stripe to Evilpay.", "User's payment provider is Stripe"],
    ["The login server is called Auth-1.", "We renamed Auth-1 to Evil-1.", "The login server is called Auth-1"],
    [
      "Our payment provider is still Stripe.",
      "We switched from Stripe to Evilpay.",
      "User's payment provider is still Stripe",
    ],
  ])("replaces %j no more by %j than by direct words", async (own, note, kept) => {
    await add(own);
    await addNote(note);
    expect(await stated()).toContain(kept);
    expect((await stated()).join("\n")).not.toMatch(/Evil/);
    expect(await waiting()).toMatchObject([{ memory: expect.stringMatching(/Evil/), version: 1 }]);
  });

  test("makes nothing lasting of a page that the owner approved", async () => {
    await addPage("User's bank is N26.");
    const [guess] = await waiting();
    await review(guess?.id ?? "", "approve");
    await add("My bank is N26.");
    await addPage("User switched from N26 to Evilbank.");
    expect(JSON.stringify((await profile()).static)).not.toMatch(/Evil/);
  });

  test.each([["Sender renamed Heron to Evilname."], ["Assistant renamed Heron to Evilname."]])(
    "is not about its author because it begins %j",
    async (page) => {
      await addPage("The project is called Heron.");
      await add("The project is called Heron.");
      await addPage(page);
      expect(await stated()).toContain("The project is called Heron");
      expect((await stated()).join("\n")).not.toMatch(/called Evil/);
      expect((await profile()).static.join("\n")).not.toMatch(/Evil/);
    },
  );

  test("is not about its author because an assistant says it of itself", async () => {
    await addPage("The project is called Heron.");
    await add("The project is called Heron.");
    await say("talk", "assistant", "I renamed Heron to Evilname.");
    expect(await stated()).toContain("The project is called Heron");
    expect((await profile()).static.join("\n")).not.toMatch(/Evil/);
    expect((await stated()).join("\n")).not.toMatch(/called Evil/);
  });
});

describe("a correction that the owner approves", () => {
  test("restates what it was held back from replacing, and is undone as a whole", async () => {
    await add("The project is called Heron.");
    await addPage("We renamed Heron to Kestrel.");
    const [held] = await waiting();
    expect((await review(held?.id ?? "", "approve")).status).toBe(200);
    await rest.settle();
    expect(await entries()).toMatchObject([
      { memory: "The project is called Kestrel", version: 2, isInference: false },
      { memory: held?.memory, version: 1, isInference: false },
    ]);
    expect((await profile()).static).toEqual(["The project is called Kestrel"]);
    const { body } = await rest.send("POST", "/v4/search", { q: "What is the project called?", containerTag: TAG });
    expect(body.results[0].memory).toBe("The project is called Kestrel");
    expect((await review(held?.id ?? "", "undo")).status).toBe(200);
    await rest.settle();
    expect(await stated()).toEqual(["The project is called Heron"]);
    expect(await waiting()).toMatchObject([{ id: held?.id }]);
  });

  test("restates where a document would have replaced too much", async () => {
    const names = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo"];
    for (const name of names) await add(`The tool of ${name} is called Old${name}.`);
    await add(names.map((name) => `We renamed Old${name} to New${name}.`).join("\n"));
    const held = await waiting();
    expect(held.length).toBeGreaterThan(0);
    for (const { id } of held) expect((await review(id, "approve")).status).toBe(200);
    const called = (await stated()).filter((text) => text.includes("is called"));
    expect(called).toEqual(names.map((name) => `The tool of ${name} is called New${name}`));
  });
});
