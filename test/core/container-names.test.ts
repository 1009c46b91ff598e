import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Core } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
});
afterEach(() => opened.close());

/** Names that could be confused: by case, by separator, or by how a URL or JSON encodes them. */
const NAMES = [
  "a_b",
  "a:b",
  "a.b",
  "a-b",
  "A_b",
  "a_B",
  "a-2Fb",
  "a-2fb",
  "a",
  "a.",
  "a:",
  ".a",
  "..",
  ".",
  "-",
  "--",
  "_",
  ":",
  "-2F",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "true",
  "0",
  "00",
  "-1",
  "1e3",
  "all",
  "sm_project_default",
  "x".repeat(99),
  "x".repeat(100),
];
/** A distinct word for each container, so that results show where they were stored. */
const WORDS = new Map(NAMES.map((name, index) => [name, `canary${String.fromCharCode(97 + (index % 26))}${index}end`]));

describe("containers with similar names", () => {
  test("are never mixed up, for any caller", { timeout: 60_000 }, async () => {
    const owner = opened.call();
    for (const [tag, word] of WORDS) {
      const memories = [{ content: `The bird is called ${word}.` }];
      await core.addDocument(owner, { content: `Song of ${word}.`, containerTags: [tag], customId: "song" });
      await core.createMemories(owner, { containerTag: tag, memories });
    }
    await opened.settle();
    const said = (answer: unknown) => new Set(JSON.stringify(answer).match(/canary[a-z]\d+end/g));
    for (const [tag, word] of WORDS)
      for (const call of [opened.call([tag]), owner]) {
        const only = [tag, new Set([word])];
        const named = { containerTags: [tag] };
        expect([tag, said(await core.listDocuments(call, { ...named, includeContent: true }))]).toEqual(only);
        expect([tag, said(await core.listMemories(call, named))]).toEqual(only);
        expect([tag, said(await core.profile(call, { containerTag: tag }))]).toEqual(only);
        expect([tag, said(await core.search(call, { q: "song of the bird", threshold: 0, ...named }))]).toEqual(only);
        expect([tag, said(await core.searchDocuments(call, { q: "song", ...named }))]).toEqual(only);
        if (call === owner) continue;
        // Without a tag, the key's only container is used; the customId they all share means the document in it.
        expect([tag, said(await core.listDocuments(call, { includeContent: true }))]).toEqual(only);
        expect([tag, said(await core.search(call, { q: "song of the bird", threshold: 0, limit: 100 }))]).toEqual(only);
        expect([tag, said(await core.getDocument(call, { id: "song" }))]).toEqual(only);
        expect([tag, said(await core.listContainers(call)).size]).toEqual([tag, 0]);
        expect([tag, (await core.listContainers(call)).containers.map((one) => one.tag)]).toEqual([tag, [tag]]);
      }
    const { containers } = await core.listContainers(owner);
    expect(containers.map(({ tag }) => tag).toSorted()).toEqual(NAMES.toSorted());
  });

  test("have separate keys: a key opens exactly its own name", async () => {
    const owner = opened.call();
    for (const [index, tag] of NAMES.entries()) {
      const { secret, key } = await core.createKey(owner, { grants: [{ containerTag: tag }] });
      expect(key.grants).toEqual([{ containerTag: tag, permission: "write" }]);
      const call = { actor: await core.authenticate(owner, secret) };
      const neighbour = NAMES[(index + 1) % NAMES.length];
      for (const other of [neighbour, "toLocaleString", tag.toUpperCase(), `${tag}_`.slice(-100)])
        if (other !== tag)
          await expect(core.search(call, { q: "x", containerTags: [other] })).rejects.toMatchObject({
            kind: "forbidden",
          });
      await expect(core.search(call, { q: "x", containerTags: [tag] })).resolves.toBeTruthy();
    }
  });

  test("are deleted individually", async () => {
    const owner = opened.call();
    for (const tag of ["a_b", "a:b", "A_b", "__proto__", "constructor"])
      await core.addDocument(owner, { content: `Note of ${tag}.`, containerTags: [tag] });
    await opened.settle();
    await core.deleteContainer(owner, { containerTag: "a_b" });
    await core.purge(owner, { containerTag: "__proto__", confirm: true });
    await opened.settle();
    const left = (await core.listDocuments(owner, {})).documents.flatMap(({ containerTags }) => containerTags);
    expect(left.toSorted()).toEqual(["A_b", "a:b", "constructor"]);
  });
});

describe("an invalid container tag", () => {
  test.each([
    "",
    " ",
    "a b",
    "a/b",
    "a%2Fb",
    "a%2fb",
    "a\\b",
    "a\u0000",
    "a\n",
    "а",
    "ａ",
    "á",
    "a\u0301",
    "a\u200b",
    "\ufeffa",
    "a\u202eb",
    "x".repeat(101),
    "*",
    "'; drop table documents; --",
    null,
    1,
    {},
    ["a"],
  ])("is rejected everywhere: %j", async (tag) => {
    const owner = opened.call();
    const before = await opened.everything();
    for (const ask of [
      () => core.addDocument(owner, { content: "x", containerTags: [tag] }),
      () => core.createMemories(owner, { containerTag: tag, memories: [{ content: "x" }] }),
      () => core.updateContainer(owner, { containerTag: tag, name: "x" }),
      () => core.search(owner, { q: "x", containerTags: [tag] }),
      () => core.profile(owner, { containerTag: tag === null ? "" : tag }),
      () => core.createKey(owner, { grants: [{ containerTag: tag }] }),
    ])
      await expect(ask()).rejects.toMatchObject({ kind: "invalid" });
    expect(await opened.everything()).toBe(before);
  });
});
