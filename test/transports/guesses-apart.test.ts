import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../support/store-folder.js";
import { type ServedCore, serveCore } from "../support/served-core.js";

/** A guess is derived from memories of two documents in one container; one document then moves to another container. */
let served: ServedCore;
let keys: Record<"owner" | "alpha" | "beta", string>;
let moved: string;
/** The document for which the guess was made. */
let guessed: string;
let ground: string;

const GUESS = "Mia is a xqzebrazv doctor in Norway";

beforeEach(async () => {
  served = await serveCore();
  const { core, call } = served.opened;
  const make = async (grants?: object[]) => (await core.createKey(call(), { kind: "agent", grants })).secret;
  keys = {
    owner: (await core.createKey(call(), {})).secret,
    alpha: await make([{ containerTag: "alpha" }]),
    beta: await make([{ containerTag: "beta" }]),
  };
  moved = await add("Mia lives in Oslo.");
  guessed = await add("Mia speaks Norwegian with her patients.");
  const { tasks } = await core.pendingExtractions(call(), { containerTag: "alpha" });
  const task = tasks.find(({ text }) => text.includes("Norwegian"))!;
  const ids = task.known.map(({ id }) => id);
  await core.submitExtraction(call(), {
    taskId: task.taskId,
    facts: [{ text: GUESS, relation: { kind: "derives", ids } }],
  });
  await served.opened.settle();
  ground = (await listed("alpha")).find(({ memory }) => memory.includes("Oslo"))!.id;
  expect((await listed("alpha")).map(({ memory }) => memory)).toContain(GUESS);
});
afterEach(() => served.close());

async function send(who: keyof typeof keys, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${served.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${keys[who]}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  await served.opened.settle();
  return { status: answer.status, text };
}

async function add(content: string): Promise<string> {
  const { text } = await send("owner", "POST", "/v3/documents", {
    content,
    containerTag: "alpha",
    dreaming: "instant",
  });
  return JSON.parse(text).id;
}

async function listed(tag: string): Promise<{ id: string; memory: string }[]> {
  const { text } = await send("owner", "POST", "/v4/memories/list", { containerTags: [tag], limit: 100 });
  return JSON.parse(text).memoryEntries;
}

const move = () => send("owner", "PATCH", `/v3/documents/${moved}`, { containerTags: ["beta"] });

test("a guess is forgotten once a memory that it was derived from moves to another container", async () => {
  expect((await move()).status).toBe(200);
  expect((await listed("beta")).map(({ memory }) => memory)).toEqual(["Mia lives in Oslo"]);
  expect((await listed("alpha")).map(({ memory }) => memory)).toEqual(["Mia speaks Norwegian with her patients"]);
  expect((await send("alpha", "GET", "/v3/journal?limit=100")).text).toContain("what it was derived from is gone");
});

/** Everything that a key can read about the document, the guess and its container. */
async function toldOf(who: "alpha" | "beta"): Promise<Record<string, string>> {
  const store = await openDatabase(served.opened.file, { readOnly: true });
  const [guess] = store.prepare("select id from memories where text = ?").all(GUESS) as { id: string }[];
  store.close();
  const within = { containerTags: [who], limit: 100 };
  const asked: [method: string, path: string, body?: object][] = [
    ["GET", `/v3/documents/${guessed}`],
    ["POST", "/v3/documents/list", within],
    ["POST", "/v3/documents/documents", within],
    ["POST", "/v4/memories/list", within],
    [
      "POST",
      "/v4/search",
      { q: "zebra doctor", containerTag: who, threshold: 0, include: { forgottenMemories: true } },
    ],
    ["POST", "/v4/profile", { containerTag: who }],
    ["GET", `/v3/container-tags/${who}/inferred`],
    ["GET", "/v3/journal?limit=100"],
    ["GET", `/v3/journal?limit=100&memoryId=${guess?.id}`],
    ["GET", `/v3/journal?limit=100&documentId=${guessed}`],
  ];
  const told: Record<string, string> = {};
  for (const [method, path, body] of asked) told[path] = (await send(who, method, path, body)).text;
  return told;
}

test("a container that receives the document of a guess without its other sources learns nothing of the guess", async () => {
  expect((await send("owner", "PATCH", `/v3/documents/${guessed}`, { containerTags: ["beta"] })).status).toBe(200);
  const told = await toldOf("beta");
  expect(told["/v4/memories/list"]).toContain("speaks Norwegian");
  for (const [path, text] of Object.entries(told))
    expect([path, text]).toEqual([path, expect.not.stringContaining("xqzebrazv")]);
});

test("the former container keeps the guess as history, in the journal and among forgotten memories", async () => {
  await move();
  const told = await toldOf("alpha");
  const telling = Object.keys(told).filter((path) => told[path]?.includes("xqzebrazv") && !path.includes("journal"));
  expect(telling).toEqual([`/v3/documents/${guessed}`, "/v3/documents/documents", "/v4/search"]);
  expect(told["/v3/journal?limit=100"]).toContain("xqzebrazv");
  expect(told["/v3/journal?limit=100"]).toContain("Mia lives in Oslo");
});

test("undo does not restore the guess while its sources are apart", async () => {
  await move();
  const { core, call } = served.opened;
  const { items } = await core.listJournal(call(), { containerTag: "alpha", limit: 100 });
  const forgotten = items.find(({ cause }) => cause?.includes("derived from"))!;
  const undone = core.undoBatch(call(), { batchId: forgotten.batchId });
  await expect(undone).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringContaining("is gone") as string,
  });
  await served.opened.settle();
  expect(JSON.stringify(await listed("alpha"))).not.toContain("xqzebrazv");
});

test("undo restores the guess once all its sources are in one container again", async () => {
  await move();
  await send("owner", "PATCH", `/v3/documents/${moved}`, { containerTags: ["alpha"] });
  expect(JSON.stringify(await listed("alpha"))).not.toContain("xqzebrazv");
  const { core, call } = served.opened;
  const { items } = await core.listJournal(call(), { containerTag: "alpha", limit: 100 });
  await core.undoBatch(call(), { batchId: items.find(({ cause }) => cause?.includes("derived from"))!.batchId });
  expect((await listed("alpha")).map(({ memory }) => memory)).toContain(GUESS);
});

/** Recreates the state that a move in an earlier version left. */
async function tellAgain(): Promise<void> {
  const store = await openDatabase(served.opened.file);
  store.prepare("update memories set is_forgotten = 0, forget_reason = null where text = ?").run(GUESS);
  store.close();
}

test.each<[what: string, method: string, path: string, body: () => object]>([
  ["forgets its source", "DELETE", "/v4/memories", () => ({ id: ground, containerTag: "beta" })],
  [
    "replaces its source",
    "PATCH",
    "/v4/memories",
    () => ({ id: ground, newContent: "Mia moved.", containerTag: "beta" }),
  ],
  ["purges its source", "POST", "/v3/purge", () => ({ memoryId: ground, confirm: true })],
  [
    "asks what would be forgotten with its source",
    "POST",
    "/v4/memories/forget-matching",
    () => ({ ids: [ground], containerTag: "beta", dryRun: true }),
  ],
])("a caller who %s in the other container neither sees nor changes the guess", async (_what, method, path, body) => {
  await move();
  await tellAgain();
  const before = JSON.stringify(await listed("alpha"));
  expect(before).toContain("xqzebrazv");
  const answer = await send("beta", method, path, body());
  expect(answer.status).toBeLessThan(300);
  expect(answer.text).not.toContain("xqzebrazv");
  expect(JSON.stringify(await listed("alpha"))).toBe(before);
});
