import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeForm } from "../support/forms.js";
import { digestOf } from "../support/container-digest.js";
import { type ServedCore, serveCore } from "../support/served-core.js";
import { connectionOf, createClient } from "../support/mcp-client.js";

/** Attacks that once worked or looked possible, over a real socket: `att` is the attacker's, `hr` the others'. */
let served: ServedCore;
let secrets: Record<Caller, string>;
type Caller = "organisation" | "hr" | "att" | "scoped att" | "both";

beforeEach(async () => {
  served = await serveCore();
  const { core, call } = served.opened;
  const make = async (kind: string, ...tags: string[]) => {
    const grants = tags.map((containerTag) => ({ containerTag }));
    return (await core.createKey(call(), tags.length > 0 ? { kind, grants } : {})).secret;
  };
  secrets = {
    organisation: await make("organization"),
    hr: await make("agent", "hr"),
    att: await make("agent", "att"),
    "scoped att": await make("scoped", "att"),
    both: await make("agent", "hr", "att"),
  };
});
afterEach(() => served.close());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: any;
}

async function send(who: Caller, method: string, path: string, body?: unknown): Promise<Answer> {
  const form = body instanceof FormFields ? await encodeForm(body.fields) : null;
  const answer = await fetch(`${served.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secrets[who]}`,
      ...(body !== undefined && (form?.headers ?? { "content-type": "application/json" })),
    },
    ...(body !== undefined && { body: form ? Buffer.from(form.bytes) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  await served.opened.settle();
  return { status: answer.status, text, body: text === "" ? undefined : JSON.parse(text) };
}

class FormFields {
  readonly fields: Record<string, string | File>;

  constructor(fields: Record<string, string | File>) {
    this.fields = fields;
  }
}

async function callTool(who: Caller, name: string, args: Record<string, unknown>): Promise<string> {
  const client = createClient("v2 auto");
  const requestInit = { headers: { authorization: `Bearer ${secrets[who]}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${served.url}/mcp?tools=all`), { requestInit });
  await (client as { connect(to: unknown): Promise<void> }).connect(transport);
  const connection = connectionOf(client);
  const answer = JSON.stringify(await connection.call(name, args));
  await connection.close();
  await served.opened.settle();
  return answer;
}

/** Adds a text. @returns its id */
async function add(who: Caller, fields: Record<string, unknown>): Promise<string> {
  const { status, text, body } = await send(who, "POST", "/v3/documents", fields);
  expect([status, text]).toEqual([200, text]);
  return body.id;
}

const SECRET = "xqsalaryzv";
const DECOY = "Nothing of note.";

/** Everything that a caller can list in a container. */
async function everythingOf(who: Caller, containerTag: string): Promise<string> {
  const containerTags = [containerTag];
  const lists = [
    await send(who, "POST", "/v3/documents/list", { containerTags, includeContent: true, limit: 100 }),
    await send(who, "POST", "/v3/documents/documents", { containerTags, limit: 100 }),
    await send(who, "POST", "/v4/memories/list", { containerTags, limit: 100 }),
    await send(who, "POST", "/v4/search", {
      q: "salary of the director",
      containerTag,
      threshold: 0,
      searchMode: "hybrid",
      include: { documents: true, relatedMemories: true, forgottenMemories: true },
    }),
  ];
  for (const { status, text } of lists) expect([status, text]).toEqual([200, text]);
  return lists.map(({ text }) => text.replace(/"timing":[\d.]+/, "")).join("\n");
}

/** Ways to give one's own document the customId of another. */
const DECOYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "a document": () => add("scoped att", { content: DECOY, customId: "payroll", containerTag: "att" }),
  "a document of the only container": () => add("scoped att", { content: DECOY, customId: "payroll" }),
  "a batch": () =>
    send("scoped att", "POST", "/v3/documents/batch", {
      documents: [{ content: DECOY, customId: "payroll" }],
      containerTags: ["att"],
    }),
  "a file": () =>
    send(
      "scoped att",
      "POST",
      "/v3/documents/file",
      new FormFields({ containerTag: "att", customId: "payroll", file: new File([DECOY], "a.txt") }),
    ),
  "a conversation": () =>
    send("att", "POST", "/v4/conversations", {
      conversationId: "payroll",
      messages: [{ role: "user", content: DECOY }],
      containerTags: ["att"],
    }),
  "a change of their own document": async () => {
    const id = await add("scoped att", { content: DECOY, containerTag: "att" });
    await send("scoped att", "PATCH", `/v3/documents/${id}`, { customId: "payroll" });
  },
  "a tool": () => callTool("scoped att", "add-memory", { content: DECOY, customId: "payroll", containerTag: "att" }),
};

/** Later writes by others, which name the document as before. */
const WRITES: Readonly<Record<string, () => Promise<unknown>>> = {
  "PATCH without a container": () =>
    send("organisation", "PATCH", "/v3/documents/payroll", { content: `The director earns ${SECRET}.` }),
  "PATCH of its own people": () => send("hr", "PATCH", "/v3/documents/payroll", { content: `We pay ${SECRET}.` }),
  "an addition without a container": () =>
    send("organisation", "POST", "/v3/documents", { content: `Now ${SECRET}.`, customId: "payroll" }),
  "an addition of its own people": () =>
    send("hr", "POST", "/v3/documents", { content: `${SECRET}.`, customId: "payroll" }),
  "an addition by the old path": () =>
    send("organisation", "POST", "/v3/memories", { content: `It is ${SECRET}.`, customId: "payroll" }),
  "a batch": () =>
    send("organisation", "POST", "/v3/documents/batch", {
      documents: [{ content: `Is ${SECRET}.`, customId: "payroll" }],
    }),
  "a file": () =>
    send(
      "organisation",
      "POST",
      "/v3/documents/file",
      new FormFields({ customId: "payroll", file: new File([`In ${SECRET}.`], "b.txt") }),
    ),
  "a conversation": () =>
    send("organisation", "POST", "/v4/conversations", {
      conversationId: "payroll",
      messages: [{ role: "user", content: `I earn ${SECRET}.` }],
    }),
  "a tool": () => callTool("organisation", "add-memory", { content: `Add ${SECRET}.`, customId: "payroll" }),
};

describe.each(["before", "after"])("an outsider who uses a customId %s its owners", (when) => {
  test.each(Object.entries(DECOYS))("through %s redirects no writes or reads of theirs", async (_name, plant) => {
    if (when === "before") await plant();
    const hr = await add("hr", { content: `The director earns ${SECRET}.`, customId: "payroll", containerTag: "hr" });
    if (when === "after") await plant();
    for (const write of Object.values(WRITES)) await write();
    const told = await everythingOf("att", "att");
    expect(told).toContain("Nothing of note");
    expect([told.includes(SECRET), told.includes(hr), told.includes('"hr"')]).toEqual([false, false, false]);
    // Its owners still reach it by the customId alone.
    const { body } = await send("hr", "GET", "/v3/documents/payroll");
    expect([body.id, body.content.includes(SECRET)]).toEqual([hr, true]);
    // A caller who may see both gets both ids; a caller who may see one does not learn of the other.
    const refused = await send("both", "GET", "/v3/documents/payroll");
    expect([refused.status, refused.text.includes(`${hr} in hr`), refused.text.includes("in att")]).toEqual([
      409,
      true,
      true,
    ]);
    const decoy = await send("scoped att", "GET", "/v3/documents/payroll");
    expect([decoy.status, decoy.text.includes(hr), decoy.text.includes(SECRET)]).toEqual([200, false, false]);
    const deleted = await send("hr", "DELETE", "/v3/documents/payroll");
    expect(deleted.status).toBe(204);
    expect((await send("scoped att", "GET", "/v3/documents/payroll")).body.id).toBe(decoy.body.id);
  });
});

describe("a customId that exists in several containers", () => {
  let hr: string;
  let decoy: string;
  beforeEach(async () => {
    hr = await add("hr", { content: `The director earns ${SECRET}.`, customId: "payroll", containerTag: "hr" });
    decoy = await add("att", { content: DECOY, customId: "payroll", containerTag: "att" });
  });

  test("is refused as ambiguous for deletion unless one container is named", async () => {
    for (const containerTags of [["hr", "att"], undefined]) {
      const other = await add("organisation", { content: "To go.", containerTag: "hr" });
      const { status, body } = await send("organisation", "DELETE", "/v3/documents/bulk", {
        ids: ["payroll", other],
        ...(containerTags && { containerTags }),
      });
      expect([status, body.deletedCount]).toEqual([200, 1]);
      expect(body.errors).toEqual([{ id: "payroll", error: expect.stringContaining(`${hr} in hr`) }]);
    }
    for (const id of [hr, decoy]) expect((await send("organisation", "GET", `/v3/documents/${id}`)).status).toBe(200);
    const { body } = await send("organisation", "DELETE", "/v3/documents/bulk", {
      ids: ["payroll"],
      containerTags: ["hr"],
    });
    expect(body.removed).toEqual([{ id: hr, kind: "document" }]);
  });

  test("returns every document when read, and is searched in the given container", async () => {
    const { body } = await send("organisation", "POST", "/v3/documents/documents/by-ids", {
      ids: ["payroll"],
      by: "customId",
    });
    expect(body.documents.map(({ id }: { id: string }) => id).toSorted()).toEqual([hr, decoy].toSorted());
    const found = await send("organisation", "POST", "/v3/search", {
      q: "director",
      docId: "payroll",
      containerTags: ["hr"],
    });
    expect([found.status, found.text.includes(SECRET), found.text.includes(decoy)]).toEqual([200, true, false]);
    const several = await send("organisation", "POST", "/v3/search", { q: "director", docId: "payroll" });
    expect(several.status).toBe(409);
  });
});

describe("a document in two containers", () => {
  let id: string;
  beforeEach(async () => {
    const containerTags = ["hr", "att"];
    id = await add("organisation", { content: "The canteen opens at noon.", customId: "payroll", containerTags });
  });

  test("cannot be changed with access to one of them alone, and does not name the other", async () => {
    const before = await everythingOf("hr", "hr");
    const content = DECOY;
    const attempts: Readonly<Record<string, () => Promise<Answer>>> = {
      add: () => send("scoped att", "POST", "/v3/documents", { content, customId: "payroll", containerTag: "att" }),
      addUnplaced: () => send("scoped att", "POST", "/v3/documents", { content, customId: "payroll" }),
      change: () => send("scoped att", "PATCH", "/v3/documents/payroll", { content }),
      rename: () => send("scoped att", "PATCH", `/v3/documents/${id}`, { customId: "mine" }),
      remove: () => send("scoped att", "DELETE", "/v3/documents/payroll"),
      talk: () =>
        send("att", "POST", "/v4/conversations", { conversationId: "payroll", messages: [{ role: "user", content }] }),
      purge: () => send("att", "POST", "/v3/purge", { documentId: "payroll", confirm: true }),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      const { status, text } = await attempt();
      expect([name, status, /\bhr\b/.test(text)]).toEqual([name, 403, false]);
    }
    const batch = { documents: [{ content, customId: "payroll" }] };
    expect((await send("scoped att", "POST", "/v3/documents/batch", batch)).body).toMatchObject({ failed: 1 });
    expect((await send("scoped att", "DELETE", "/v3/documents/bulk", { ids: ["payroll"] })).body.deletedCount).toBe(0);
    expect(await everythingOf("hr", "hr")).toBe(before);
    // They may remove it from their container, after which the customId is free there.
    await send("scoped att", "DELETE", "/v3/documents/bulk", { containerTags: ["att"] });
    const { body } = await send("hr", "GET", "/v3/documents/payroll");
    expect([body.id, body.containerTags]).toEqual([id, ["hr"]]);
  });

  test("does not block a document that had the customId before", async () => {
    const own = await add("scoped att", { content: "Of att.", customId: "rota" });
    const both = await add("organisation", { content: "Of both.", customId: "rota", containerTags: ["hr", "att"] });
    expect(both).not.toBe(own);
    expect(await add("scoped att", { content: "Of att, again.", customId: "rota" })).toBe(own);
    expect((await send("organisation", "GET", `/v3/documents/${both}`)).body.content).toBe("Of both.");
  });
});

describe("content that moved to another container", () => {
  /** Creates a memory that was changed in `att`, moved with its document to `hr`, and changed there. */
  async function moveOne(): Promise<{ document: string; first: string; second: string; third: string }> {
    const document = await add("att", {
      content: "The director earns copper.",
      containerTag: "att",
      facts: [{ text: "The director earns copper." }],
      dreaming: "instant",
    });
    const { core, call } = served.opened;
    const [first = ""] = (await core.getDocument(call(), { id: document })).memories.map(({ id }) => id);
    const update = async (id: string, containerTag: string, newContent: string): Promise<string> =>
      (await send("organisation", "PATCH", "/v4/memories", { id, containerTag, newContent })).body.id;
    const second = await update(first, "att", "The director earns silver.");
    await send("organisation", "PATCH", `/v3/documents/${document}`, { containerTags: ["hr"] });
    const third = await update(second, "hr", `The director earns ${SECRET}.`);
    return { document, first, second, third };
  }

  test("cannot be reached by the id of an older version, to read or to write", async () => {
    const { first, third } = await moveOne();
    const before = await everythingOf("hr", "hr");
    const body = { id: first, containerTag: "att" };
    for (const who of ["att", "scoped att"] as const)
      for (const answer of [
        await send(who, "DELETE", `/v3/documents/${first}`),
        await send(who, "DELETE", "/v4/memories", body),
        await send(who, "POST", "/v3/memories/forget", body),
        await send(who, "PATCH", "/v4/memories", { ...body, newContent: "The director earns nothing." }),
        await send(who, "GET", `/v3/documents/${first}`),
      ])
        expect([answer.status, answer.text.includes(SECRET), answer.text.includes(third)]).toEqual([404, false, false]);
    const bulk = await send("scoped att", "DELETE", "/v3/documents/bulk", { ids: [first] });
    expect([bulk.body.deletedCount, bulk.text.includes(SECRET)]).toEqual([0, false]);
    for (const [tool, args] of [
      ["forget", { id: first }],
      ["forget", { ids: [first] }],
      ["fetch", { id: first }],
    ] as const)
      expect(await callTool("scoped att", tool, args)).toMatch(/"isError":true.*(?:not found|There is no memory)/);
    expect(await everythingOf("hr", "hr")).toBe(before);
  });

  test("reveals nothing of what stayed, and leaves no id behind", async () => {
    const stays = await add("att", {
      content: "The att desk is oak.",
      containerTag: "att",
      facts: [{ text: "The att desk is oak." }],
    });
    const ids = await moveOne();
    expect(await everythingOf("hr", "hr")).not.toContain(stays);
    const told = await everythingOf("att", "att");
    for (const id of Object.values(ids)) expect(told).not.toContain(id);
    expect(told).not.toContain('"hr"');
  });

  test("is no longer related to what stayed: neither is shown or forgotten with the other", async () => {
    const { core, call, store } = served.opened;
    const { organizationId } = store;
    const remember = async (content: string) =>
      (await core.createMemories(call(), { containerTag: "att", memories: [{ content }] })).memories[0]?.id ?? "";
    const [ground, beside] = [
      await remember("The director drives to Ghent."),
      await remember("The director sleeps in Ghent."),
    ];
    const document = await add("att", {
      content: "Notes on the director.",
      containerTag: "att",
      facts: [{ text: "The director works in Ghent.", quote: "nobody said this" }],
      dreaming: "instant",
    });
    const [guess] = (await core.getDocument(call(), { id: document })).memories;
    expect(guess?.isInference).toBe(true);
    const guessed = guess?.id ?? "";
    await store.memories.relate(organizationId, guessed, ground, "derives");
    await store.memories.relate(organizationId, beside, guessed, "extends");
    await send("organisation", "PATCH", `/v3/documents/${document}`, { containerTags: ["hr"] });

    // The guess stays in its container as forgotten, because not all of its sources moved with the document.
    const theirs = await everythingOf("hr", "hr");
    for (const id of [ground, beside, guessed]) expect(theirs).not.toContain(id);
    expect(await everythingOf("att", "att")).not.toContain('"hr"');
    const before = await store.memories.byId(organizationId, guessed);
    const matching = { containerTag: "att", ids: [ground] };
    const shown = await send("att", "POST", "/v4/memories/forget-matching", { ...matching, dryRun: true });
    expect([shown.status, shown.text.includes(guessed), shown.text.includes("works in Ghent")]).toEqual([
      200,
      false,
      false,
    ]);
    await send("att", "POST", "/v4/memories/forget-matching", matching);
    expect(await store.memories.byId(organizationId, guessed)).toEqual(before);
    // When its document returns, its relations are restored.
    await send("organisation", "PATCH", `/v3/documents/${document}`, { containerTags: ["att"] });
    const relations = await store.memories.relations(organizationId, [guessed]);
    expect(relations.map(({ relation }) => relation).toSorted()).toEqual(["derives", "extends"]);
  });

  test("is unaffected by a purge of what stayed", async () => {
    const { core, call, store } = served.opened;
    const facts = [{ text: "The lamp in the hall is lit." }];
    const content = "The lamp in the hall is lit.";
    const named = { customId: "lamps", facts, dreaming: "instant" };
    const document = await add("att", { content, containerTag: "att", ...named });
    const [left] = (await core.getDocument(call(), { id: document })).memories;
    // Added again elsewhere, the document leaves its memories behind.
    await send("organisation", "PATCH", `/v3/documents/${document}`, { containerTags: ["att", "hr"] });
    await core.addDocument(call(), { content: `${content} So is ${SECRET}.`, containerTags: ["att", "hr"], ...named });
    await served.opened.settle();
    await core.addDocument(call(), { content: `${content} So was ${SECRET}.`, containerTags: ["hr"], ...named });
    await served.opened.settle();
    // Adds a guess derived from a memory that stayed.
    const [ground] = (await core.createMemories(call(), { containerTag: "att", memories: [{ content: "It is oak." }] }))
      .memories;
    const { id: doubtful } = await core.addDocument(call(), {
      content: "On oak.",
      containerTags: ["att"],
      facts: [{ text: "Oak is heavy.", quote: "nobody said this" }],
      dreaming: "instant",
    });
    await served.opened.settle();
    const [guess] = (await core.getDocument(call(), { id: doubtful })).memories;
    await store.memories.relate(store.organizationId, guess?.id ?? "", ground?.id ?? "", "derives");
    await send("organisation", "PATCH", `/v3/documents/${doubtful}`, { containerTags: ["hr"] });

    const before = await digestOf(served.opened, "hr");
    expect(before).toContain("Oak is heavy.");
    for (const selector of [{ memoryId: left?.id }, { memoryId: ground?.id }, { containerTag: "att" }]) {
      const { status, text } = await send("att", "POST", "/v3/purge", { ...selector, confirm: true });
      expect([selector, status, text]).toEqual([selector, 200, text]);
      expect([selector, await digestOf(served.opened, "hr")]).toEqual([selector, before]);
    }
  });

  test("is not named to those who stayed, neither by its container nor as a reason for forgetting", async () => {
    const document = await add("organisation", {
      content: "The vault stands in the cellar.",
      containerTags: ["att", "hr"],
      facts: [{ text: "The vault stands in the cellar." }],
      dreaming: "instant",
    });
    await send("organisation", "PATCH", `/v3/documents/${document}`, { containerTags: ["hr"] });
    const journal = await send("att", "GET", "/v3/journal?limit=200");
    expect([journal.status, journal.text.includes("memory.forgotten"), /\bhr\b/.test(journal.text)]).toEqual([
      200,
      true,
      false,
    ]);
    expect(await everythingOf("att", "att")).not.toMatch(/\bhr\b/);
  });

  test("is unknown to a purge by those who stayed", async () => {
    const { document } = await moveOne();
    const never = await send("att", "POST", "/v3/purge", { documentId: "1111111111111111111111", confirm: true });
    for (const change of ["moved", "deleted"]) {
      if (change === "deleted") await send("hr", "DELETE", `/v3/documents/${document}`);
      const { status, text } = await send("att", "POST", "/v3/purge", { documentId: document, confirm: true });
      expect([change, status, text]).toEqual([change, 404, never.text.replaceAll("1111111111111111111111", document)]);
    }
  });

  test("has no entries under its new id in the journal of its former container", async () => {
    const { third } = await moveOne();
    const { status, body } = await send("att", "GET", `/v3/journal?memoryId=${third}`);
    expect([status, body.entries]).toEqual([200, []]);
  });
});

test("content merged into another container cannot be purged with access to the former container alone", async () => {
  const id = await add("att", { content: `The director earns ${SECRET}.`, containerTag: "att" });
  await add("hr", { content: "A desk of oak.", containerTag: "hr" });
  await send("organisation", "POST", "/v3/container-tags/merge", {
    containerTags: ["att", "hr"],
    targetContainerTag: "hr",
  });
  const before = await served.opened.store.documents.byId(served.opened.store.organizationId, id);
  expect(before?.containerTags).toEqual(["hr"]);
  expect((await send("att", "POST", "/v3/purge", { documentId: id, confirm: true })).status).toBe(404);
  expect(await served.opened.store.documents.byId(served.opened.store.organizationId, id)).toEqual(before);
});

test("a merge names its target container only to those who may see it", async () => {
  for (const containerTag of ["att", "hr"]) await add("organisation", { content: "A desk of oak.", containerTag });
  const { opened } = served;
  await opened.hold();
  await opened.core.mergeContainers(opened.call(), { containerTags: ["att", "hr"], targetContainerTag: "hr" });
  const ask = async (who: Caller) => {
    const answer = await fetch(`${served.url}/v3/documents`, {
      method: "POST",
      headers: { authorization: `Bearer ${secrets[who]}`, "content-type": "application/json" },
      body: JSON.stringify({ content: "Late.", containerTag: "att" }),
    });
    return [answer.status, /\bhr\b/.test(await answer.text())];
  };
  expect([await ask("scoped att"), await ask("both")]).toEqual([
    [409, false],
    [409, true],
  ]);
});
