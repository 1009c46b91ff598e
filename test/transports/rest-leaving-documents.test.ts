import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

/** A statement that a document superseded applies again once that document is gone, if other documents still state it. */
let rest: OpenedRest;

beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const TAG = "cleo";
const OLD = "Cleo works at Siemens.";
const NEW = "Cleo now works at Bosch.";
const WORKS = "Where does Cleo work?";

async function add(content: string, customId: string, containerTag = TAG): Promise<void> {
  const { status } = await rest.send("POST", "/v3/documents", { content, customId, containerTag });
  expect(status).toBeLessThan(300);
  await rest.settle();
}

async function sent(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await rest.send(method, path, body);
  expect([answer.status, answer.body]).toEqual([expect.toSatisfy((status: number) => status < 300), answer.body]);
  await rest.settle();
}

async function search(q: string, searchMode: string, containerTag = TAG): Promise<string> {
  const { body } = await rest.send("POST", "/v4/search", { q, containerTag, searchMode, threshold: 0 });
  return JSON.stringify(body.results);
}

async function memories(containerTag = TAG): Promise<string[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [containerTag] });
  return body.memoryEntries.map(({ memory }: { memory: string }) => memory).toSorted();
}

async function expectFound(q: string, has: string, lacks: string): Promise<void> {
  for (const mode of ["hybrid", "documents", "memories"]) {
    const found = await search(q, mode);
    expect(found, mode).toContain(has);
    expect(found, mode).not.toContain(lacks);
  }
  const v3 = await rest.send("POST", "/v3/search", {
    q,
    containerTags: [TAG],
    chunkThreshold: 0,
    documentThreshold: 0,
  });
  expect(JSON.stringify(v3.body.results)).toContain(has);
  const profile = await rest.send("POST", "/v4/profile", { containerTag: TAG });
  expect(JSON.stringify(profile.body.profile)).toContain(has);
}

const WAYS: Readonly<Record<string, () => Promise<void>>> = {
  deleted: () => sent("DELETE", "/v3/documents/c2"),
  "deleted with others": async () => {
    const { body } = await rest.send("GET", "/v3/documents/c2");
    await sent("DELETE", "/v3/documents/bulk", { ids: [body.id] });
  },
  "changed to another text": () => sent("PATCH", "/v3/documents/c2", { content: "Cleo likes tea." }),
  "moved away": () => sent("PATCH", "/v3/documents/c2", { containerTag: "elsewhere" }),
  purged: () => sent("POST", "/v3/purge", { documentId: "c2", confirm: true }),
};

describe("a document with a newer statement", () => {
  test.each(Object.entries(WAYS))("lets the older statement apply again when it is %s", async (_way, leave) => {
    await add(OLD, "c1");
    await add(NEW, "c2");
    await expectFound(WORKS, "Bosch", "Siemens");
    await leave();
    await expectFound(WORKS, "Siemens", "Bosch");
  });

  test("when deleted, restores a memory added directly before it, and one undo supersedes that again", async () => {
    await sent("POST", "/v4/memories", { containerTag: TAG, memories: [{ content: "Cleo works at Siemens" }] });
    await add(NEW, "c2");
    await sent("DELETE", "/v3/documents/c2");
    expect(await memories()).toEqual(["Cleo works at Siemens"]);
    const { body } = await rest.send("GET", `/v3/journal?containerTag=${TAG}`);
    await sent("POST", `/v3/journal/${body.entries[0].batchId}/undo`);
    expect(await memories()).toEqual([expect.stringContaining("Bosch")]);
    expect(await search(WORKS, "memories")).not.toContain("Siemens");
  });

  test("when deleted, restores what it had ended", async () => {
    await add("Cleo drives a Volvo.", "c1");
    await add("Cleo sold the Volvo.", "c2");
    await sent("DELETE", "/v3/documents/c2");
    await expectFound("What does Cleo drive?", "drives a Volvo", "sold");
  });

  test("restores the newest of several statements that is still stated", async () => {
    await add(OLD, "c1");
    await add(NEW, "c2");
    await add("Cleo now works at Shell.", "c3");
    await sent("DELETE", "/v3/documents/c2");
    expect(await memories()).toEqual([expect.stringContaining("Shell")]);
    await sent("DELETE", "/v3/documents/c3");
    await expectFound(WORKS, "Siemens", "Shell");
    await sent("DELETE", "/v3/documents/c1");
    expect(await memories()).toEqual([]);
  });

  test("restores nothing when a person forgot its statement", async () => {
    await add(OLD, "c1");
    await add(NEW, "c2");
    const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [TAG] });
    await sent("DELETE", "/v4/memories", { id: body.memoryEntries[0].id, containerTag: TAG });
    await sent("DELETE", "/v3/documents/c2");
    expect(await memories()).toEqual([]);
    expect(await search(WORKS, "hybrid")).not.toContain("Siemens");
  });
});

describe("a document that moves to another container", () => {
  test("takes along nothing that other documents state", async () => {
    await add(OLD, "c1");
    await add(NEW, "c2");
    await sent("PATCH", "/v3/documents/c2", { containerTag: "other" });
    expect(await memories()).toEqual(["Cleo works at Siemens"]);
    const { body } = await rest.send("POST", "/v3/auth/scoped-key", { containerTag: "other" });
    const as = { authorization: `Bearer ${body.key}` };
    const listed = await rest.send("POST", "/v4/memories/list", { containerTags: ["other"] }, as);
    expect(listed.body.memoryEntries).toHaveLength(1);
    const [{ id }] = listed.body.memoryEntries;
    const include = { relatedMemories: true, forgottenMemories: true, documents: true };
    const asked = { q: WORKS, containerTag: "other", threshold: 0, include };
    const told = [
      listed,
      await rest.send("POST", "/v4/search", asked, as),
      await rest.send("GET", "/v3/journal", undefined, as),
      await rest.send("GET", `/v3/journal?memoryId=${id}`, undefined, as),
      await rest.send("GET", "/v3/documents/c2", undefined, as),
    ];
    expect(JSON.stringify(told.map((answer) => answer.body))).not.toContain("Siemens");
    expect(JSON.stringify(told.map((answer) => answer.body))).toContain("Bosch");
  });

  test("keeps forgotten in both containers what a person forgot", async () => {
    await add(OLD, "c1");
    await add(NEW, "c2");
    const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [TAG] });
    await sent("DELETE", "/v4/memories", { id: body.memoryEntries[0].id, containerTag: TAG });
    await sent("PATCH", "/v3/documents/c2", { containerTag: "other" });
    expect([await memories(), await memories("other")]).toEqual([[], []]);
    expect(await search(WORKS, "hybrid")).not.toContain("Siemens");
  });
});
