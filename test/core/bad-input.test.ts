import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Call, Core, UseCase } from "../../src/core/index.js";
import { createId } from "../../src/lib/ids.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;
let known: { memory: string; document: string };

beforeAll(async () => {
  opened = await openManualCore({ limits: { maxTextBytes: 10_000, maxMetadataBytes: 1_000 } });
  core = opened.core;
  call = opened.call();
  const { documentId, memories } = await core.createMemories(call, {
    containerTag: "known",
    memories: [{ content: "Ada keeps bees" }],
  });
  known = { memory: memories[0]?.id ?? "", document: documentId };
  await opened.settle();
});
afterAll(() => opened.close());

const LONE = "half a character \ud83d";
const deep = (levels: number): unknown =>
  levels === 0 ? { AND: [{ key: "k", value: "v" }] } : { AND: [deep(levels - 1)] };
const many = (count: number): unknown[] => Array.from({ length: count }, () => ({ key: "k", value: "v" }));

/** The problem, the use case, its input, the kind of error, and what the message must say. */
type Row = [what: string, useCase: UseCase, input: unknown, kind: string, says: RegExp];

const text: Row[] = [
  ["no input at all", "addDocument", undefined, "invalid", /object|content/],
  ["null", "addDocument", null, "invalid", /object/],
  ["a string in place of an object", "addDocument", "hello", "invalid", /object/],
  ["an array in place of an object", "addDocument", [], "invalid", /object/],
  ["no content", "addDocument", {}, "invalid", /^content: is missing$/],
  ["empty content", "addDocument", { content: "" }, "invalid", /^content: must not be empty/],
  ["white space", "addDocument", { content: " \n\t\u00a0 " }, "invalid", /^content: must not be empty/],
  ["a number", "addDocument", { content: 5 }, "invalid", /^content: must be a string/],
  ["an object", "addDocument", { content: { text: "x" } }, "invalid", /^content: must be a string/],
  ["a NUL", "addDocument", { content: "a\u0000b" }, "invalid", /^content: .*control character U\+0000 at position 1/],
  ["an escape character", "addDocument", { content: "a\u001b[31mb" }, "invalid", /^content: .*U\+001B/],
  [
    "a lone surrogate",
    "addDocument",
    { content: LONE },
    "invalid",
    /^content: .*lone surrogate U\+D83D at position 17/,
  ],
  [
    "too much",
    "addDocument",
    { content: "x".repeat(10_001) },
    "too_large",
    /^content: has 10001 bytes, at most 10000 .*RECOLLECT_MAX_TEXT_BYTES/,
  ],
  ["too much in bytes", "addDocument", { content: "é".repeat(5_001) }, "too_large", /^content: has 10002 bytes/],
  ["a title of another type", "addDocument", { content: "x", title: 5 }, "invalid", /^title: must be a string/],
  ["a long title", "addDocument", { content: "x", title: "x".repeat(1_001) }, "invalid", /^title: .*1000/],
  ["a title with a lone surrogate", "addDocument", { content: "x", title: LONE }, "invalid", /^title: .*surrogate/],
];

const tags: Row[] = ["", "a b", "a/b", "ü", "a'b", "x".repeat(101), "a\nb", "a\u0000"].flatMap((tag): Row[] => [
  [
    `container tag ${JSON.stringify(tag.slice(0, 20))}`,
    "addDocument",
    { content: "x", containerTags: ["ok", tag] },
    "invalid",
    /^containerTags\.1: must/,
  ],
  [
    `container tag ${JSON.stringify(tag.slice(0, 20))}`,
    "createMemories",
    { containerTag: tag, memories: [{ content: "x" }] },
    "invalid",
    /^containerTag: must/,
  ],
  [
    `container tag ${JSON.stringify(tag.slice(0, 20))}`,
    "search",
    { q: "x", containerTags: [tag] },
    "invalid",
    /^containerTags\.0: must/,
  ],
]);

const metadata: Row[] = [
  ["nested metadata", { a: { b: 1 } }, "invalid", /^metadata\.a: must be a string, a number, a boolean or an array/],
  ["null in metadata", { a: null }, "invalid", /^metadata\.a: must be/],
  ["mixed arrays", { a: ["x", 1] }, "invalid", /^metadata\.a\.1: must be/],
  ["not a number", { a: Number.NaN }, "invalid", /^metadata\.a: must be/],
  ["infinity", { a: Number.POSITIVE_INFINITY }, "invalid", /^metadata\.a: must be/],
  ["an empty key", { "": 1 }, "invalid", /^metadata: keys must not be empty/],
  ["a control character in a key", { "a\u0000": 1 }, "invalid", /^metadata: keys/],
  ["a control character in a value", { a: "x\u0007" }, "invalid", /^metadata\.a: .*U\+0007/],
  ["a lone surrogate in a list", { a: ["fine", LONE] }, "invalid", /^metadata\.a: .*surrogate/],
  ["an array", ["x"], "invalid", /^metadata: must be an object/],
  ["a string", "x", "invalid", /^metadata: must be an object/],
  [
    "too much",
    { a: "x".repeat(1_000) },
    "too_large",
    /^metadata: has 1008 bytes as JSON, at most 1000 .*RECOLLECT_MAX_METADATA_BYTES/,
  ],
].flatMap(([what, value, kind, says]): Row[] => [
  [`metadata: ${what as string}`, "addDocument", { content: "x", metadata: value }, kind as string, says as RegExp],
  [
    `memory metadata: ${what as string}`,
    "createMemories",
    { containerTag: "a", memories: [{ content: "fine" }, { content: "x", metadata: value }] },
    kind as string,
    new RegExp((says as RegExp).source.replace("^metadata", "^memories\\.1\\.metadata")),
  ],
]);

const documents: Row[] = [
  ["an empty customId", "addDocument", { content: "x", customId: "" }, "invalid", /^customId: must not be empty/],
  ["a long customId", "addDocument", { content: "x", customId: "x".repeat(256) }, "invalid", /^customId: .*255/],
  [
    "a customId with a line break",
    "addDocument",
    { content: "x", customId: "a\nb" },
    "invalid",
    /^customId: .*control/,
  ],
  [
    "a date that is none",
    "addDocument",
    { content: "x", documentDate: "yesterday" },
    "invalid",
    /^documentDate: must be an ISO/,
  ],
  [
    "a day that does not exist",
    "addDocument",
    { content: "x", documentDate: "2024-02-30" },
    "invalid",
    /^documentDate:/,
  ],
  [
    "a date with rubbish",
    "addDocument",
    { content: "x", documentDate: "2024-05-06 (noon)" },
    "invalid",
    /^documentDate:/,
  ],
  ["a path with a control character", "addDocument", { content: "x", filepath: "/a\u0001" }, "invalid", /^filepath:/],
  [
    "a long path",
    "addDocument",
    { content: "x", filepath: `/${"é".repeat(2_048)}` },
    "invalid",
    /^filepath: .*4096 bytes/,
  ],
  ["an unknown task", "addDocument", { content: "x", taskType: "other" }, "invalid", /^taskType:/],
  [
    "too many containers",
    "addDocument",
    { content: "x", containerTags: Array.from({ length: 51 }, (_, i) => `t${i}`) },
    "invalid",
    /^containerTags:/,
  ],
  ["a negative wait", "addDocument", { content: "x", wait: -1 }, "invalid", /^wait:/],
  ["a long wait", "addDocument", { content: "x", wait: 1_000 }, "invalid", /^wait:/],
  ["a wait that is no number", "addDocument", { content: "x", wait: Number.NaN }, "invalid", /^wait:/],
  ["facts of another type", "addDocument", { content: "x", facts: ["Ada"] }, "invalid", /^facts\.0:/],
  [
    "an empty fact",
    "addDocument",
    { content: "x", facts: [{ text: "ok" }, { text: " " }] },
    "invalid",
    /^facts\.1\.text: must not be empty/,
  ],
  [
    "a fact that is over",
    "addDocument",
    { content: "x", facts: [{ text: "ok", forgetAfter: "2020-01-01" }] },
    "invalid",
    /^facts\.0\.forgetAfter: must be in the future/,
  ],
  [
    "a fact that replaces nothing",
    "addDocument",
    { content: "x", facts: [{ text: "ok", updates: createId() }] },
    "invalid",
    /^facts\.0\.updates: there is no memory/,
  ],
  [
    "too many facts",
    "addDocument",
    { content: "x", facts: Array.from({ length: 101 }, () => ({ text: "x" })) },
    "invalid",
    /^facts:/,
  ],
  ["an unknown document", "getDocument", { id: createId() }, "not_found", /^Document not found:/],
  ["no id", "getDocument", {}, "invalid", /^id: is missing$/],
  ["a number as id", "deleteDocument", { id: 5 }, "invalid", /^id: must be a string/],
  ["an empty id", "fetch", { id: "" }, "invalid", /^id: must not be empty/],
  ["an unknown document to delete", "deleteDocument", { id: "nothing" }, "not_found", /^Document not found: nothing/],
  ["a negative limit", "listDocuments", { limit: -1 }, "invalid", /^limit:/],
  ["a huge limit", "listDocuments", { limit: 1_101 }, "invalid", /^limit:/],
  ["page 0", "listDocuments", { page: 0 }, "invalid", /^page:/],
  ["a page beyond all numbers", "listDocuments", { page: Number.MAX_SAFE_INTEGER }, "invalid", /^page:/],
  ["half a page", "listDocuments", { page: 1.5 }, "invalid", /^page:/],
  ["an unknown state", "listDocuments", { statuses: ["sleeping"] }, "invalid", /^statuses\.0:/],
  ["an unknown order", "listDocuments", { order: "up" }, "invalid", /^order:/],
];

const manyDocuments: Row[] = [
  ["a batch of nothing", "addDocuments", undefined, "invalid", /Invalid input|must be an object/],
  ["a batch without documents", "addDocuments", {}, "invalid", /^documents: is missing$/],
  ["an empty batch", "addDocuments", { documents: [] }, "invalid", /^documents: must have at least 1/],
  ["601 documents", "addDocuments", { documents: Array(601).fill("x") }, "invalid", /^documents: has 601 entries.*600/],
  ["a bad default", "addDocuments", { documents: ["x"], metadata: 5 }, "invalid", /^metadata: must be an object/],
  ["no selector", "deleteDocuments", {}, "invalid", /^Either 'ids' or 'containerTags' must be provided$/],
  ["a path alone", "deleteDocuments", { filepath: "/x" }, "invalid", /^Either 'ids' or 'containerTags'/],
  ["no ids", "deleteDocuments", { ids: [] }, "invalid", /^ids: must have at least 1 entry/],
  ["101 ids", "deleteDocuments", { ids: Array(101).fill("x") }, "invalid", /^ids: must have at most 100 entries/],
  ["a number among ids", "deleteDocuments", { ids: [5] }, "invalid", /^ids\.0: must be a string/],
  ["chunks of nothing", "getChunks", { id: "nothing" }, "not_found", /^Document not found: nothing/],
];

const files: Row[] = [
  ["no file", "addFile", {}, "invalid", /^bytes:/],
  ["bytes that are none", "addFile", { bytes: "é" }, "invalid", /^bytes: must be base64/],
  [
    "a file that is no text",
    "addFile",
    { bytes: "AAECAw==", name: "x" },
    "unsupported_type",
    /^The file x is not a text/,
  ],
  ["a name of 2,000 letters", "addFile", { bytes: "eA==", name: "x".repeat(2_000) }, "invalid", /^name: must have/],
  ["a mime type with a line break", "addFile", { bytes: "eA==", mimeType: "a/b\r\nx: y" }, "invalid", /^mimeType:/],
  ["the file of nothing", "getDocumentFile", { id: "nothing" }, "not_found", /^Document not found: nothing/],
  ["a key that is a path", "getFile", { key: "../store" }, "not_found", /^There is no file at this address/],
  ["a key that is unknown", "readFile", { key: createId(), start: 0, length: 1 }, "not_found", /^There is no file/],
  ["a piece before the beginning", "readFile", { key: createId(), start: -1, length: 1 }, "invalid", /^start:/],
];

const memories: Row[] = [
  ["no memories", "createMemories", { containerTag: "a", memories: [] }, "invalid", /^memories: must have at least 1/],
  [
    "too many memories",
    "createMemories",
    { containerTag: "a", memories: Array.from({ length: 101 }, () => ({ content: "x" })) },
    "invalid",
    /^memories: must have at most 100/,
  ],
  ["no container", "createMemories", { memories: [{ content: "x" }] }, "invalid", /^containerTag: is missing$/],
  [
    "a long memory",
    "createMemories",
    { containerTag: "a", memories: [{ content: "x".repeat(10_001) }] },
    "invalid",
    /^memories\.0\.content: must have at most 10000 characters, has 10001/,
  ],
  [
    "one bad among good ones",
    "createMemories",
    { containerTag: "a", memories: [{ content: "ok" }, { content: "a\u0000" }] },
    "invalid",
    /^memories\.1\.content: .*U\+0000/,
  ],
  [
    "an end that is past",
    "createMemories",
    { containerTag: "a", memories: [{ content: "x", forgetAfter: "2020-01-01" }] },
    "invalid",
    /^memories\.0\.forgetAfter: must be in the future/,
  ],
  [
    "a reason with a lone surrogate",
    "createMemories",
    { containerTag: "a", memories: [{ content: "x", forgetReason: LONE }] },
    "invalid",
    /^memories\.0\.forgetReason:/,
  ],
  [
    "a long list of dates",
    "createMemories",
    {
      containerTag: "a",
      memories: [{ content: "x", temporalContext: { eventDate: Array.from({ length: 101 }, () => "2024") } }],
    },
    "invalid",
    /^memories\.0\.temporalContext\.eventDate:/,
  ],
  ["nothing named", "forget", { containerTag: "known" }, "invalid", /name exactly one of id, content .* and query/],
  ["two things named", "forget", { ids: ["x"], query: "x" }, "invalid", /exactly one/],
  ["an empty list", "forget", { ids: [] }, "invalid", /^ids:/],
  ["too many ids", "forget", { ids: Array.from({ length: 501 }, () => "x") }, "invalid", /^ids:/],
  ["an unknown id", "forget", { ids: [createId()] }, "not_found", /^Memory not found:/],
  ["text without container", "forget", { content: "Ada keeps bees" }, "invalid", /^containerTag: is required/],
  [
    "another text",
    "forget",
    { content: "Ada keeps", containerTag: "known" },
    "not_found",
    /No memory with exactly this text in known\. Search for it/,
  ],
  ["a long reason", "forget", { ids: ["x"], reason: "x".repeat(1_001) }, "invalid", /^reason:/],
  ["a threshold above 1", "forget", { query: "x", threshold: 1.1 }, "invalid", /^threshold:/],
];

const searches: Row[] = [
  ["no question", "search", {}, "invalid", /^q: is missing$/],
  ["an empty question", "search", { q: "  " }, "invalid", /^q: must not be empty/],
  [
    "an endless question",
    "search",
    { q: "x".repeat(16 * 1024 * 1024 + 1) },
    "invalid",
    /^q: must have at most 16777216/,
  ],
  ["a negative limit", "search", { q: "x", limit: -5 }, "invalid", /^limit: must be at least 1/],
  ["limit 0", "search", { q: "x", limit: 0 }, "invalid", /^limit:/],
  ["a huge limit", "search", { q: "x", limit: 101 }, "invalid", /^limit: must be at most 100/],
  ["half a result", "search", { q: "x", limit: 1.5 }, "invalid", /^limit: must be a whole number/],
  ["a limit as text", "search", { q: "x", limit: "10" }, "invalid", /^limit: must be a number/],
  [
    "a threshold that is no number",
    "search",
    { q: "x", threshold: Number.NaN },
    "invalid",
    /^threshold: must be a number/,
  ],
  ["a threshold below 0", "search", { q: "x", threshold: -0.1 }, "invalid", /^threshold: must be at least 0/],
  ["an endless threshold", "search", { q: "x", threshold: Number.POSITIVE_INFINITY }, "invalid", /^threshold:/],
  ["an unknown mode", "search", { q: "x", searchMode: "all" }, "invalid", /^searchMode:/],
  [
    "a bare condition",
    "search",
    { q: "x", filters: { key: "k", value: "v" } },
    "invalid",
    /^filters: must be an object with AND or OR/,
  ],
  [
    "filters that are no JSON",
    "search",
    { q: "x", filters: "{AND" },
    "invalid",
    /^filters: is a string that is not JSON/,
  ],
  ["a list of filters", "search", { q: "x", filters: [] }, "invalid", /^filters: must be an object/],
  ["AND that is no list", "search", { q: "x", filters: { AND: {} } }, "invalid", /^filters\.AND: must be an array/],
  [
    "a condition without a value",
    "search",
    { q: "x", filters: { AND: [{ key: "k" }] } },
    "invalid",
    /^filters\.AND\.0\.value: is missing$/,
  ],
  [
    "a key with a quote",
    "search",
    { q: "x", filters: { AND: [{ key: 'a"b', value: "v" }] } },
    "invalid",
    /^filters\.AND\.0\.key:/,
  ],
  [
    "a value with a NUL",
    "search",
    { q: "x", filters: { AND: [{ key: "k", value: "a\u0000b" }] } },
    "invalid",
    /^filters\.AND\.0\.value: .*U\+0000/,
  ],
  [
    "a number that is none",
    "search",
    { q: "x", filters: { OR: [{ key: "k", value: "ten", filterType: "numeric" }] } },
    "invalid",
    /^filters\.OR\.0\.value: must be a number/,
  ],
  [
    "an unknown filter",
    "search",
    { q: "x", filters: { AND: [{ key: "k", value: "v", filterType: "regex" }] } },
    "invalid",
    /^filters\.AND\.0\.filterType: must be one of/,
  ],
  [
    "negate of another type",
    "search",
    { q: "x", filters: { AND: [{ key: "k", value: "v", negate: 1 }] } },
    "invalid",
    /^filters\.AND\.0\.negate: must be true or false/,
  ],
  ["filters nine levels deep", "search", { q: "x", filters: deep(8) }, "invalid", /must not be nested deeper than 8/],
  [
    "filters ten thousand levels deep",
    "search",
    { q: "x", filters: '{"AND":['.repeat(10_000) + "]}".repeat(10_000) },
    "invalid",
    /^filters/,
  ],
  ["201 conditions", "search", { q: "x", filters: { AND: many(201) } }, "invalid", /at most 200/],
  [
    "a million empty groups",
    "search",
    { q: "x", filters: { AND: Array.from({ length: 1_000_000 }, () => ({ OR: [] })) } },
    "invalid",
    /at most 200/,
  ],
  ["filters in a list", "listDocuments", { filters: { AND: 1 } }, "invalid", /^filters\.AND: must be an array/],
  ["filters in a profile", "profile", { containerTag: "known", filters: "x" }, "invalid", /^filters:/],
  ["no container in a profile", "profile", {}, "invalid", /^containerTag: is missing$/],
  ["an unknown part of a profile", "profile", { containerTag: "known", include: ["all"] }, "invalid", /^include\.0:/],
  ["an empty name of a key", "createKey", { name: "" }, "invalid", /^name: must not be empty/],
  ["a name of a key that moves the cursor", "createKey", { name: "\u001b[2J" }, "invalid", /^name: .*U\+001B/],
  ["an unknown key", "revokeKey", { id: "nothing" }, "not_found", /^Key not found: nothing/],
];

describe("bad input is rejected with a message that names the problem, and changes nothing:", () => {
  let before: string;
  beforeAll(async () => {
    before = await opened.everything();
  });

  test.each([...text, ...tags, ...metadata, ...documents, ...manyDocuments, ...files, ...memories, ...searches])(
    "%s (%s)",
    async (_what, useCase, input, kind, says) => {
      const error: unknown = await core[useCase](call, input).then(
        (answer) => ({ answer }),
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ name: "AppError", kind });
      expect((error as Error).message).toMatch(says);
      expect((error as Error).message.length).toBeLessThan(2_000);
    },
  );

  test("none of it was stored, and the service still works", async () => {
    expect(await opened.everything()).toBe(before);
    expect(await core.search(call, { q: "bees", containerTags: ["known"] })).toMatchObject({
      results: [{ id: known.memory }],
      degraded: [],
    });
    expect(await core.getDocument(call, { id: known.document })).toMatchObject({ document: { id: known.document } });
  });
});

describe("unusual but valid input", () => {
  test.each([
    ["one character", "x"],
    ["up to the limit", "x".repeat(10_000)],
    ["one line of thousands of words", "bee ".repeat(2_499)],
    ["one word of thousands of letters", "b".repeat(9_000)],
    ["line breaks of every kind, tabs and form feeds", "a\r\nb\rc\td\fe\u2028f\u0085g"],
    ["other scripts, joined characters and marks", "漢字 עברית عربي हिन्दी 👩‍👩‍👧 e\u0301 \u202eright\u202c"],
    ["text that looks like code of the service", "'; drop table documents; -- \" OR 1=1 ${x} {{x}} <script>"],
    ["JSON", '{"role":"user","content":"hi","deep":'.repeat(50) + "1" + "}".repeat(50)],
    ["punctuation only", "!?.,;:-_#+*~"],
    ["a zero-width space", "\u200b"],
  ])("%s", async (_what, content) => {
    const { id, status, errorReason } = await core.addDocument(call, { content, containerTags: ["odd"], wait: 20 });
    expect({ status, errorReason }).toEqual({ status: "done", errorReason: null });
    expect((await core.getDocument(call, { id })).document.content).toBe(content);
  });

  test("unknown fields are ignored", async () => {
    const { id } = await core.addDocument(call, { content: "fine", extra: { deep: true }, containerTags: ["odd"] });
    expect(JSON.stringify(await core.getDocument(call, { id }))).not.toContain("extra");
  });

  test("metadata keys that are special in JavaScript are ordinary keys", async () => {
    const metadata = JSON.parse('{"constructor":"a","toString":"b","hasOwnProperty":"c"}') as Record<string, string>;
    const { id } = await core.addDocument(call, { content: "fine", metadata, containerTags: ["odd"] });
    expect((await core.getDocument(call, { id })).document.metadata).toEqual(metadata);
  });

  test("refuse the metadata key __proto__ instead of dropping it", async () => {
    const metadata = JSON.parse('{"__proto__":"x","k":"v"}') as Record<string, string>;
    const adding = core.addDocument(call, { content: "fine", metadata, containerTags: ["odd"] });
    await expect(adding).rejects.toThrow("metadata.__proto__: is not a possible key");
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});
