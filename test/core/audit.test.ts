import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { coreFor, type Core } from "../../src/core/index.js";
import { createAuditTrail } from "../../src/core/journal/audit-trail.js";
import { cleanUp } from "../../src/core/upkeep/upkeep.js";
import type { AuditEntry, CallSource } from "../../src/core/types.js";
import { captureLog } from "../support/captured-log.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { withMethods } from "../support/with-methods.js";

const DAY = 86_400_000;
const FROM: CallSource = { face: "rest", address: "203.0.113.7", client: "opencode" };

let opened: ManualCore;
let core: Core;

beforeEach(async () => {
  opened = await openManualCore();
  core = coreFor(opened.core, FROM);
});
afterEach(() => opened.close());

const call = (containers?: readonly string[]) => opened.call(containers);
const entries = async (query: Record<string, unknown> = {}) =>
  (await opened.core.listAudit(call(), { limit: 1_000, ...query })).items.filter(
    ({ action }) => action !== "listAudit",
  );
const stored = async (): Promise<AuditEntry[]> =>
  (await opened.store.audit.list(opened.store.organizationId, { offset: 0, limit: 1_000 })).entries;
const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe("an entry records who did what, where and from which address:", () => {
  test("adding, changing and deleting a document", async () => {
    const { id } = await core.addDocument(call(), { content: "I like tea.", containerTags: ["a", "b"] });
    await opened.settle();
    await core.updateDocument(call(), { id, content: "I like coffee." });
    await core.deleteDocument(call(), { id });
    const place = {
      actor: "local",
      outcome: "ok",
      ...FROM,
      count: 1,
      subjectIds: [id],
      at: "2024-05-06T07:08:09.000Z",
    };
    expect(await entries()).toMatchObject([
      { action: "deleteDocument", ...place, containerTags: [expect.stringMatching(/^[ab]$/)] },
      { action: "updateDocument", ...place },
      { action: "addDocument", ...place, containerTags: ["a", "b"] },
    ]);
  });

  test("adding a document twice with the same operation id, as one entry", async () => {
    const again = () =>
      core.addDocument({ ...call(), operationId: "o1" }, { content: "I like tea.", containerTags: ["a"], wait: 5 });
    const [first, second] = [await again(), await again()];
    expect(second.id).toBe(first.id);
    await core.addDocument({ ...call(), operationId: "o2" }, { content: "I like tea.", containerTags: ["a"] });
    expect(await entries()).toHaveLength(2);
  });

  test("adding many documents and memories in one call, with the first 20 of them", async () => {
    const documents = Array.from({ length: 50 }, (_, index) => ({
      content: `Note ${index}`,
      containerTag: `c${index}`,
    }));
    await core.addDocuments(call(), { documents });
    const { memories } = await core.createMemories(call(), {
      containerTag: "a",
      memories: [{ content: "Ada has a boat" }],
    });
    const [created, batch] = await entries();
    expect(batch?.containerTags.length).toBeLessThanOrEqual(20);
    expect(batch?.subjectIds.length).toBeLessThanOrEqual(20);
    expect(created).toMatchObject({ action: "createMemories", containerTags: ["a"] });
    expect(created?.subjectIds).toContain(memories[0]?.id);
  });

  test("creating, using, disabling and revoking a key, with its name", async () => {
    const { key, secret } = await core.createKey(call(), { name: "laptop", grants: [{ containerTag: "mia" }] });
    const actor = await core.authenticate(call(), secret);
    await core.addDocument({ actor }, { content: "Hello", containerTags: ["mia"] });
    await core.toggleKey(call(), { id: key.id });
    await core.revokeKey(call(), { id: key.id });
    expect(await entries()).toMatchObject([
      { action: "revokeKey", subjectIds: [key.id] },
      { action: "toggleKey", subjectIds: [key.id] },
      { action: "addDocument", actor: `key:${key.id}`, keyName: "laptop" },
      { action: "createKey", subjectIds: [key.id], containerTags: ["mia"], actor: "local", keyName: null },
    ]);
    expect(JSON.stringify(await stored())).not.toContain(secret.slice(-12));
  });

  test("successful and failed sign-ins, by address and browser, without the credentials tried", async () => {
    await core.setPassword(call(), { password: "correct horse battery" });
    const browser = { from: "198.51.100.4", client: "Mozilla/5.0\r\nX: forged" };
    await attempt(opened.core.signIn(call(), { ...browser, password: "hunter2 hunter2" }));
    await attempt(opened.core.signIn(call(), { ...browser, code: "guessed-code" }));
    const { signIn, token } = await opened.core.signIn(call(), { ...browser, password: "correct horse battery" });
    await opened.core.signOut(call(), { token });
    const at = { address: "198.51.100.4", client: "Mozilla/5.0 X: forged" };
    expect(await entries()).toMatchObject([
      { action: "signOut", outcome: "ok" },
      { action: "signIn", outcome: "ok", actor: `sign-in:${signIn.id}`, subjectIds: [signIn.id], ...at },
      { action: "signIn", outcome: "unauthorized", actor: "unknown", count: 2, ...at },
      { action: "setPassword", outcome: "ok" },
    ]);
    const all = JSON.stringify(await stored());
    for (const secret of ["hunter2", "guessed", "correct horse", token]) expect(all).not.toContain(secret);
  });

  test("changing settings, a purge and a reset, which leave only ids", async () => {
    const { id } = await core.addDocument(call(), { content: "A secret of Zanzibar.", containerTags: ["a"] });
    await opened.settle();
    await core.updateSettings(call(), { shouldLLMFilter: true, filterPrompt: "Only about Zanzibar" });
    await core.purge(call(), { documentId: id, confirm: true });
    await core.resetOrganization(call(), { confirmation: "Recollect" });
    expect(await entries()).toMatchObject([
      { action: "resetOrganization", outcome: "ok" },
      { action: "purge", outcome: "ok", subjectIds: [id], containerTags: ["a"] },
      { action: "updateSettings", outcome: "ok" },
      { action: "addDocument", subjectIds: [id] },
    ]);
    expect(JSON.stringify(await stored())).not.toContain("Zanzibar");
  });

  test("rejected and failed calls", async () => {
    await attempt(core.addDocument(call(["mine"]), { content: "x", containerTags: ["yours"] }));
    await attempt(core.search(call(["mine"]), { q: "what is yours?", containerTags: ["yours"] }));
    await attempt(core.listKeys(call(["mine"])));
    await attempt(core.deleteDocument(call(), { id: "1111111111111111111111" }));
    await attempt(core.addDocument(call(), { content: "" }));
    expect(await entries({ outcome: "refused" })).toMatchObject([
      { action: "addDocument", outcome: "invalid", actor: "local" },
      { action: "deleteDocument", outcome: "not_found", subjectIds: ["1111111111111111111111"] },
      { action: "listKeys", outcome: "forbidden", actor: "key:mine" },
      { action: "search", outcome: "forbidden", containerTags: ["yours"] },
      { action: "addDocument", outcome: "forbidden", containerTags: ["yours"] },
    ]);
  });

  test("reads by the owner, counted per minute; searches and document lists are not recorded", async () => {
    for (let look = 0; look < 5; look += 1) await core.listKeys(call());
    opened.clock.advance(60_000);
    await core.listKeys(call());
    await core.search(call(), { q: "tea" });
    await core.listDocuments(call(), {});
    expect(await entries()).toMatchObject([
      { action: "listKeys", count: 1 },
      { action: "listKeys", count: 5 },
    ]);
  });
});

test("stores no user-supplied text: not from fields, metadata or custom ids", async () => {
  const word = (what: string) => `xq${what}zv`;
  const names = ["text", "title", "meta", "key", "custom", "path", "query", "reason", "name", "tag", "id", "fact"];
  const is = Object.fromEntries(names.map((name) => [name, word(name)]));
  const document = {
    content: `I live in ${is["text"]}.`,
    title: is["title"],
    customId: is["custom"],
    metadata: { containerTag: is["meta"], id: is["id"], [String(is["key"])]: true },
    filepath: `/notes/${is["path"]}.md`,
    facts: [{ text: `Ada sails on ${is["fact"]}` }],
    containerTags: ["a"],
  };
  await core.addDocument(call(), document);
  await core.addDocuments(call(), { documents: [{ ...document, customId: `${is["custom"]}2` }] });
  await opened.settle();
  await core.updateDocument(call(), { id: is["custom"], content: `I live in ${is["text"]} and ${is["title"]}.` });
  await attempt(core.search(call(["mine"]), { q: is["query"], containerTags: ["a"] }));
  await attempt(core.forget(call(), { query: is["query"], containerTag: "a", reason: is["reason"] }));
  await attempt(core.forgetMatching(call(), { query: is["query"], containerTag: "a", dryRun: false }));
  await attempt(core.authenticate(call(), `sm_${is["key"]}`));
  await attempt(core.updateContainer(call(), { containerTag: "a", entityContext: is["text"], name: is["name"] }));
  await attempt(core.deleteDocument(call(), { id: is["custom"] }));
  await attempt(core.addDocument(call(), { ...document, containerTags: [`${is["tag"]} with spaces`] }));
  const all = JSON.stringify(await entries());
  expect((await entries()).length).toBeGreaterThan(7);
  expect(Object.values(is).filter((one) => all.includes(one))).toEqual([]);
});

describe("reading the audit", () => {
  test.each<[string, object]>([
    ["a key for some containers", { containers: ["a"] }],
    ["a read-only key", { readOnly: "all" }],
    ["a scoped key", { containers: ["a"], isScoped: true }],
    ["an app", { isApp: true }],
  ])("is refused to %s", async (_who, limits) => {
    const actor = { ...call().actor, name: "key:x", ...limits };
    await expect(core.listAudit({ actor }, {})).rejects.toMatchObject({ kind: "forbidden" });
  });

  test("filters by key, container, action, outcome and time, in pages", async () => {
    const { key, secret } = await core.createKey(call(), { name: "laptop" });
    const actor = await core.authenticate(call(), secret);
    await core.addDocument({ actor }, { content: "One", containerTags: ["a"] });
    opened.clock.advance(DAY);
    await core.addDocument(call(), { content: "Two", containerTags: ["b"] });
    const actions = async (query: object) => (await entries({ ...query })).map(({ action, actor }) => [action, actor]);
    expect(await actions({ keyId: key.id })).toEqual([["addDocument", `key:${key.id}`]]);
    expect(await actions({ actor: "local", action: "addDocument" })).toEqual([["addDocument", "local"]]);
    expect(await actions({ containerTag: "b" })).toEqual([["addDocument", "local"]]);
    expect(await actions({ from: "2024-05-07T00:00:00Z", outcome: "ok" })).toEqual([["addDocument", "local"]]);
    expect(await actions({ to: "2024-05-07T00:00:00Z" })).toHaveLength(2);
    expect(await opened.core.listAudit(call(), { action: "addDocument", limit: 1, page: 2 })).toMatchObject({
      total: 2,
      items: [{ containerTags: ["a"] }],
    });
  });

  test.each<[string, unknown]>([
    ["limit", { limit: 0 }],
    ["limit", { limit: 1_001 }],
    ["page", { page: 1.5 }],
    ["outcome", { outcome: "sad" }],
    ["containerTag", { containerTag: "a b" }],
    ["from", { from: "yesterday" }],
    ["keyId", { keyId: "x", actor: "y" }],
    ["action", { action: "x".repeat(300) }],
  ])("names the invalid field: %s %j", async (field, query) => {
    await expect(core.listAudit(call(), query)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining(field),
    });
  });
});

describe("a flood", () => {
  test("of wrong keys becomes one entry per address and minute", async () => {
    for (let one = 0; one < 10_000; one += 1) await attempt(core.authenticate(call(), `sm_wrong_${one}`));
    const other = coreFor(opened.core, { ...FROM, address: "203.0.113.8" });
    await attempt(other.authenticate(call(), "sm_wrong"));
    opened.clock.advance(60_000);
    await attempt(core.authenticate(call(), "sm_wrong"));
    expect(await entries()).toMatchObject([
      { action: "authenticate", outcome: "unauthorized", address: "203.0.113.7", count: 1 },
      { action: "authenticate", outcome: "unauthorized", address: "203.0.113.8", count: 1 },
      { action: "authenticate", outcome: "unauthorized", actor: "unknown", address: "203.0.113.7", count: 10_000 },
    ]);
    expect(JSON.stringify(await stored())).not.toContain("sm_wrong");
  });

  test("from very many addresses is combined into one entry for the rest", async () => {
    const { store, clock } = opened;
    const trail = createAuditTrail({ store, clock, log: captureLog(), mostCounted: 5 });
    const event = {
      actor: "unknown",
      action: "authenticate",
      outcome: "unauthorized",
      containerTags: [],
      subjectIds: [],
    } as const;
    for (let one = 0; one < 300; one += 1)
      trail.count({ ...event, face: "rest", address: `10.0.0.${one % 256}`, client: null });
    await trail.close();
    const kept = await stored();
    expect(kept).toHaveLength(6);
    expect(kept.find(({ actor }) => actor === "others")).toMatchObject({ address: null });
    expect(kept.reduce((sum, { count }) => sum + count, 0)).toBe(300);
  });
});

describe("the recorded source of a call:", () => {
  test.each<[string, unknown, object]>([
    ["an invalid address", { face: "rest", address: "nobody's business" }, { face: "rest", address: null }],
    ["an IPv6 address", { face: "rest", address: "2001:db8::1" }, { address: "2001:db8::1" }],
    ["an unknown interface", { face: "<script>" }, { face: null }],
    [
      "a long name with line breaks",
      { face: "cli", client: `a\r\nb${"c".repeat(300)}` },
      { client: `a b${"c".repeat(96)}` },
    ],
  ])("%s", async (_what, from, expected) => {
    await opened.core.createKey({ ...call(), from: from as CallSource }, { name: "x" });
    expect((await entries())[0]).toMatchObject({ action: "createKey", ...expected });
  });
});

describe("entries are stored", () => {
  test("before the response for keys, sign-ins, settings and purges", async () => {
    await core.createKey(call(), { name: "laptop" });
    expect(await stored()).toMatchObject([{ action: "createKey" }]);
    await core.addDocument(call(), { content: "Hello" });
    expect(await stored()).toHaveLength(1);
    await core.updateSettings(call(), {});
    expect((await stored()).map(({ action }) => action)).toEqual(["updateSettings", "addDocument", "createKey"]);
  });

  test("within about a second for other calls, and when the service stops", async () => {
    await core.addDocument(call(), { content: "Hello" });
    await expect.poll(stored, { timeout: 5_000 }).toHaveLength(1);
    await core.addDocument(call(), { content: "Hello again" });
    const { dataDirectory, clock } = opened;
    await opened.stop();
    opened = await openManualCore({ dataDirectory, clock });
    expect(await stored()).toHaveLength(2);
  });

  test("in order of arrival, even if the clock is set back", async () => {
    await core.addDocument(call(), { content: "First" });
    opened.clock.advance(-30 * DAY);
    await core.createKey(call(), { name: "second" });
    await attempt(core.authenticate(call(), "sm_wrong"));
    opened.clock.advance(-DAY);
    await attempt(core.authenticate(call(), "sm_wrong"));
    expect((await entries()).map(({ action }) => action)).toEqual([
      "authenticate",
      "authenticate",
      "createKey",
      "addDocument",
    ]);
  });

  test("later if the store could not be written, with a single warning", async () => {
    const log = captureLog();
    const { store, clock } = opened;
    let isBroken = true;
    const put: typeof store.audit.put = (...args) =>
      isBroken ? Promise.reject(new Error("disk full")) : store.audit.put(...args);
    const trail = createAuditTrail({ store: { ...store, audit: withMethods(store.audit, { put }) }, clock, log });
    const event = {
      actor: "local",
      outcome: "ok",
      containerTags: [],
      subjectIds: [],
      face: null,
      address: null,
      client: null,
    } as const;
    trail.note({ ...event, action: "first" });
    await trail.flush();
    await trail.flush();
    trail.note({ ...event, action: "second" });
    expect(log.lines.map(({ level }) => level)).toEqual(["warn"]);
    isBroken = false;
    await trail.close();
    expect((await stored()).map(({ action }) => action)).toEqual(["second", "first"]);
  });

  test("for a year", async () => {
    await core.createKey(call(), { name: "old" });
    opened.clock.advance(366 * DAY);
    await core.createKey(call(), { name: "new" });
    await cleanUp(opened.context);
    expect(await stored()).toMatchObject([{ action: "createKey", at: expect.stringMatching(/^2025/) }]);
    expect(await opened.store.audit.dropBeyond(opened.store.organizationId, 0)).toBe(1);
    expect(findInFiles(opened.dataDirectory, ["sm_wrong"])).toEqual([]);
  });
});

test("a killed process loses at most the entries of its last second", async () => {
  const actions = async (dataDirectory: string) => {
    const again = await openManualCore({ dataDirectory });
    try {
      const kept = await again.store.audit.list(again.store.organizationId, { offset: 0, limit: 100 });
      return kept.entries.map(({ action }) => action);
    } finally {
      await again.close();
    }
  };
  await core.addDocument(call(), { content: "Long ago" });
  await expect.poll(stored, { timeout: 5_000 }).toHaveLength(1);
  await core.addDocument(call(), { content: "Just now" });
  await core.createKey(call(), { name: "grave" });
  await core.addDocument(call(), { content: "In the last moment" });
  // The data folder now is what a killed process leaves.
  const left = await mkdtemp(join(tmpdir(), "recollect-core-"));
  await cp(opened.dataDirectory, left, { recursive: true });
  expect(await actions(left)).toEqual(["createKey", "addDocument", "addDocument"]);
});
