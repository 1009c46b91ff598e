import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import type { Call, Core } from "../../src/core/index.js";
import { mergeTurns } from "../../src/core/documents/merge-turns.js";
import type { FactSource } from "../../src/core/ports.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const MEET = [
  { role: "user", content: "I live in Rome." },
  { role: "assistant", content: "How nice!" },
];
const MOVE = [
  { role: "user", content: "I keep bees on the roof." },
  { role: "assistant", content: "Honey!" },
];

describe("a conversation", () => {
  let opened: ManualCore;
  let core: Core;
  let call: Call;
  let read: FactSource[];

  beforeEach(async () => {
    read = [];
    const rules = createRulesExtractor();
    opened = await openManualCore({
      factExtractor: { ...rules, extract: (source) => (read.push(source), rules.extract(source)) },
    });
    core = opened.core;
    call = opened.call();
  });
  afterEach(() => opened.close());

  const send = (messages: unknown[], more: Record<string, unknown> = {}) =>
    core.addConversation(call, { conversationId: "talk", containerTags: ["a"], messages, ...more });
  const get = async () => core.getDocument(call, { id: "talk" });

  test("becomes a document with its id, a readable transcript, a chunk per turn and the statements of the user", async () => {
    const { id, conversationId, status } = await send(MEET, { metadata: { sm_source: "slack", n: 1, b: true } });
    expect([conversationId, status]).toEqual(["talk", "queued"]);
    await opened.settle();
    const { document, memories } = await get();
    expect(document).toMatchObject({
      id,
      customId: "talk",
      content: "user: I live in Rome.\n\nassistant: How nice!",
      metadata: { sm_source: "slack", n: 1, b: true },
      source: "slack",
      title: "I live in Rome.",
      containerTags: ["a"],
      status: "done",
      dreamingStatus: "done",
    });
    expect(memories.map((memory) => memory.text)).toEqual(["User lives in Rome"]);
    const chunks = await opened.store.chunks.ofDocument(opened.store.organizationId, id, 1);
    expect(chunks.map((chunk) => chunk.content)).toEqual(["User: I live in Rome.", "Assistant: How nice!"]);
  });

  test.each([
    ["the whole history", [...MEET, ...MOVE]],
    ["only the new part", MOVE],
    ["the new part with some earlier messages", [...MEET.slice(1), ...MOVE]],
  ])("continues when %s is sent, and only new messages are read", async (_name, messages) => {
    const { id } = await send(MEET);
    await opened.settle();
    expect(await send(messages)).toMatchObject({ id, status: "queued" });
    await opened.settle();
    const { document, memories } = await get();
    expect(document.turns).toHaveLength(4);
    expect(document.content).toBe(
      "user: I live in Rome.\n\nassistant: How nice!\n\nuser: I keep bees on the roof.\n\nassistant: Honey!",
    );
    expect(memories.map((memory) => memory.text)).toEqual(["User lives in Rome", "User keeps bees on the roof"]);
    expect(read.map((source) => source.turns?.map((turn) => turn.text))).toEqual([
      ["I live in Rome.", "How nice!"],
      ["I keep bees on the roof.", "Honey!"],
    ]);
  });

  test("that grows turn by turn is stored about once", async () => {
    const messages = Array.from({ length: 60 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Number ${index} says ${"la ".repeat(60)}`,
    }));
    for (let count = 1; count <= messages.length; count++) await send(messages.slice(0, count));
    expect((await get()).document.turns).toHaveLength(60);
    const isKept = async () => (await opened.everything()).match(/Number 7 says/g)?.length;
    // In the text, the turns, its chunk, the context of the next chunk, and the text to extract facts from.
    expect(await isKept()).toBeLessThanOrEqual(5);
    await opened.settle();
    expect(await isKept()).toBeLessThanOrEqual(5);
    const { document } = await get();
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", revision: 60 });
    expect(await opened.store.documents.revisionText(opened.store.organizationId, document.id, 1)).toBe(
      `user: Number 0 says ${"la ".repeat(60).trim()}`,
    );
  });

  test("sent again changes nothing, whole or in part", async () => {
    await send([...MEET, ...MOVE]);
    await opened.settle();
    const before = await opened.rowCounts();
    for (const messages of [[...MEET, ...MOVE], MEET, MOVE, MEET.slice(0, 1), MOVE.slice(1)])
      expect(await send(messages)).toMatchObject({ status: "done" });
    expect(await opened.rowCounts()).toEqual(before);
    expect((await get()).document.revision).toBe(1);
  });

  test("warns when a message sent alone is already stored, and adds it when sent with the message before it", async () => {
    const [ask, yes] = [
      { role: "assistant", content: "Shall I book the train?" },
      { role: "user", content: "yes" },
    ];
    const send = async (...messages: object[]) =>
      (await core.addConversation(call, { conversationId: "train", messages, containerTags: ["a"] })).warnings;
    expect(await send(ask, yes)).toEqual([]);
    expect(await send(ask, yes)).toEqual([]);
    expect(await send(yes)).toEqual([expect.stringContaining("not added again")]);
    expect(await send(yes, yes)).toEqual([]);
    const { document } = await core.getDocument(call, { id: "train" });
    expect(document.turns).toHaveLength(3);
    expect(await send({ role: "user", content: "And back?" })).toEqual([]);
  });

  test("accepts names, parts, images and tool calls", async () => {
    await send([
      { role: "user", name: "Ada", content: [{ type: "text", text: "Look:" }] },
      {
        role: "user",
        content: [
          { type: "image_url", imageUrl: { url: "https://example.com/bee.png" } },
          { type: "image_url", image_url: "https://example.com/hive.png" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "look" } }] },
      { role: "assistant", content: "", tool_calls: [] },
      { role: "tool", content: "A bee.", tool_call_id: "1" },
    ]);
    const { document } = await get();
    expect(document.content).toBe(
      "Ada: Look:\n\nuser: [image: https://example.com/bee.png]\n[image: https://example.com/hive.png]\n[image]\n\ntool: look()\n\ntool: look → A bee.",
    );
  });

  test("of tool calls alone is accepted, and can continue with text", async () => {
    const { id } = await send([{ role: "assistant", tool_calls: [{ id: "1" }] }]);
    await opened.settle();
    expect((await get()).document).toMatchObject({ id, content: "", status: "done" });
    await send(MEET);
    await opened.settle();
    expect((await get()).document).toMatchObject({ id, status: "done", revision: 2 });
    expect((await get()).memories).toHaveLength(1);
  });

  test("continues in the default container if none is named; one with the same id elsewhere is unchanged", async () => {
    const { id } = await send(MEET);
    const usual = await core.addConversation(call, { conversationId: "talk", messages: MOVE });
    expect(usual.id).not.toBe(id);
    expect((await core.addConversation(call, { conversationId: "talk", messages: MOVE })).id).toBe(usual.id);
    expect((await core.getDocument(call, { id })).document).toMatchObject({ containerTags: ["a"], revision: 1 });
    await core.addConversation(call, { conversationId: "other", messages: MOVE });
    expect((await core.getDocument(call, { id: "other" })).document.containerTags).toEqual(["sm_project_default"]);
  });

  test("stores its guidance for extraction on its containers", async () => {
    await send(MEET, { entityContext: "Ada is a beekeeper." });
    const container = await opened.store.containers.get(opened.store.organizationId, "a");
    expect(container?.entityContext).toBe("Ada is a beekeeper.");
  });

  test("with the same id in another container is a separate one", async () => {
    const { id } = await send(MEET);
    const other = await send(MOVE, { containerTags: ["b"] });
    expect(other.id).not.toBe(id);
    await opened.settle();
    const read = async (id: string) => (await core.getDocument(call, { id })).document;
    expect((await read(id)).content).toBe("user: I live in Rome.\n\nassistant: How nice!");
    expect((await read(other.id)).content).toBe("user: I keep bees on the roof.\n\nassistant: Honey!");
  });

  test("of another container cannot be continued, nor created where the key may not write", async () => {
    const { id } = await send(MEET);
    const mine = opened.call(["b"]);
    const input = { conversationId: "talk", messages: MOVE };
    expect((await core.addConversation(mine, { ...input, containerTags: ["b"] })).id).not.toBe(id);
    expect(await core.addConversation(mine, { ...input, conversationId: "x" })).toMatchObject({ containerTags: ["b"] });
    await expect(core.addConversation(mine, { ...input, containerTags: ["a"] })).rejects.toMatchObject({
      kind: "forbidden",
    });
    expect((await core.getDocument(call, { id })).document.turns).toHaveLength(2);
  });

  test.each([
    ["no messages", { messages: [] }, ["messages"]],
    ["invalid messages", { messages: ["hi"] }, ["messages", 0]],
    ["an unknown role", { messages: [{ role: "robot", content: "x" }] }, ["messages", 0, "role"]],
    ["no content", { messages: [{ role: "user" }] }, ["messages", 0, "content"]],
    ["nested metadata", { metadata: { a: { b: 1 } } }, ["metadata", "a"]],
    ["a list as metadata", { metadata: { a: ["b"] } }, ["metadata", "a"]],
    ["a conversationId that is too long", { conversationId: "x".repeat(256) }, ["conversationId"]],
    ["no conversationId", { conversationId: undefined }, ["conversationId"]],
    ["too much guidance", { entityContext: "x".repeat(1_501) }, ["entityContext"]],
  ])("with %s is rejected, naming the field", async (_name, input, path) => {
    await expect(send(MEET, input)).rejects.toMatchObject({ kind: "invalid", issues: [{ path }] });
  });

  test("that is too large is rejected", async () => {
    const huge = [{ role: "user", content: "x".repeat(1_048_577) }];
    await expect(send(huge)).rejects.toMatchObject({
      kind: "too_large",
      message: expect.stringMatching(/^messages: /) as string,
    });
  });
});

describe("merging stored and submitted turns", () => {
  const merged = (kept: string, came: string): string => {
    const turnsOf = (text: string) => text.split("").map((letter) => ({ speaker: "user", text: letter }));
    return mergeTurns(turnsOf(kept), turnsOf(came))
      .map((turn) => turn.text)
      .join("");
  };

  test.each([
    ["", "ab", "ab"],
    ["ab", "", "ab"],
    ["ab", "abc", "abc"],
    ["ab", "bc", "abc"],
    ["ab", "cd", "abcd"],
    ["abcd", "bc", "abcd"],
    ["abcd", "abcd", "abcd"],
    ["abcd", "a", "abcd"],
    ["abcd", "d", "abcd"],
    ["abcd", "b", "abcdb"],
    ["aab", "aabaab", "aabaab"],
    ["aaab", "aabaa", "aaabaa"],
    ["abab", "ababab", "ababab"],
    ["cd", "abcde", "abcde"],
    ["abx", "bxabxaby", "bxabxaby"],
  ])("%j and %j make %j", (kept, came, expected) => {
    expect(merged(kept, came)).toBe(expected);
  });

  test("takes linear time", () => {
    const many = "a".repeat(20_000);
    expect(merged(many, `${many}b`)).toHaveLength(20_001);
    expect(merged(`${many}b`, `${many}c`)).toHaveLength(20_001);
    const distinct = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("");
    expect(merged(`${distinct}x`, `y${distinct.slice(1)}z`)).toHaveLength(20_001);
    expect(merged(distinct, distinct.split("").reverse().join(""))).toHaveLength(39_999);
  });
});

describe("a resubmitted history", () => {
  const turnsOf = (lines: string) =>
    lines.split(" | ").map((line) => {
      const [speaker = "", text = ""] = line.split(": ", 2);
      return { speaker, text };
    });
  const merged = (kept: string, came: string) =>
    mergeTurns(turnsOf(kept), turnsOf(came))
      .map(({ speaker, text }) => `${speaker}: ${text}`)
      .join(" | ");
  const TALK = "u: I live in Rome now | a: Nice | u: I keep bees | a: Honey";

  test.each([
    ["with one message edited", TALK.replace("Rome", "Milan"), TALK.replace("Rome", "Milan")],
    ["with another message in its place", TALK.replace("I keep bees", "My cat is ill"), null],
    ["edited and continued", `${TALK.replace("Honey", "Sweet")} | u: Bye`, null],
    ["up to the edited message", "u: I live in Milan now | a: Nice", TALK.replace("Rome", "Milan")],
    ["with a message between others", TALK.replace(" | u: I keep", " | u: And | u: I keep"), null],
    ["without a message in the middle", `${TALK.replace(" | u: I keep bees", "")} | u: Bye`, `${TALK} | u: Bye`],
    ["with another system prompt", `system: It is Monday | ${TALK}`, `system: It is Monday | ${TALK}`],
  ])("%s is not duplicated", (_name, came, expected) => {
    expect(merged(TALK, came)).toBe(expected ?? came);
  });

  test.each([
    ["u: I live in Rome now", "u: I live in Milan now", "u: I live in Rome now | u: I live in Milan now"],
    ["u: I live in Rome now", "u: I live in Milan now | a: Nice", "u: I live in Milan now | a: Nice"],
    ["u: I like tea", "u: I like coffee", "u: I like tea | u: I like coffee"],
    ["u: I live in Rome now", "a: I live in Milan now", "u: I live in Rome now | a: I live in Milan now"],
    ["u: I live in Rome now", "u: My sister lives in Rome", "u: I live in Rome now | u: My sister lives in Rome"],
  ])(
    "of one message, %s, counts as edited only if it is nearly the same and followed by more: %s",
    (kept, came, expected) => {
      expect(merged(kept, came)).toBe(expected);
    },
  );

  test.each([
    ["answer regenerated", "u: What is for dinner | a: Pizza", "u: What is for dinner | a: A salad with feta"],
    ["answer regenerated, and more", "u: Dinner | a: Pizza", "u: Dinner | a: A salad | u: Good"],
    ["message edited", "u: Hi | a: Hello | u: My flight leaves on Monday", "u: Hi | a: Hello | u: We go by train"],
  ])("with its last %s is not duplicated", (_name, kept, came) => {
    expect(merged(kept, came)).toBe(came);
  });

  test("with an edited message after a prompt, and an answer to it, is not duplicated", () => {
    const came = "system: Be kind | u: I have a cat | a: Nice";
    expect(merged("system: Be kind | u: I have a dog", came)).toBe(came);
  });

  test("that ends with a regenerated answer keeps what followed", () => {
    expect(merged(TALK, "u: I live in Rome now | a: Splendid")).toBe(TALK.replace("Nice", "Splendid"));
  });

  test.each([
    ["two messages of one speaker", "u: Hi | u: I have a dog", "u: Hi | u: The car is red"],
    ["a prompt alone", "system: Be kind | u: I have a dog", "system: Be kind | u: The car is red"],
    ["a prompt alone, however similar", "system: Be kind | u: I have a dog", "system: Be kind | u: I have a cat"],
    ["an answer by another speaker", "u: Hi | a: Hello", "u: Hi | u: The car is red"],
  ])("loses nothing if all it has in common is %s at its beginning", (_name, kept, came) => {
    expect(merged(kept, came)).toBe(`${kept} | ${came}`);
  });

  const TOLD = "u: I am allergic to peanuts | a: Noted | u: I work at Siemens | a: A fine employer";

  test("that starts at an edited message keeps the messages before it", () => {
    const rest = "a: A fine employer | u: I play chess | a: Nice hobby";
    expect(merged(`${TOLD} | u: I play chess | a: Nice hobby`, `u: I work at Bosch | ${rest} | u: I have a boat`)).toBe(
      `u: I am allergic to peanuts | a: Noted | u: I work at Bosch | ${rest} | u: I have a boat`,
    );
  });

  test("with its last question edited and answered anew keeps the earlier messages once", () => {
    const came = "u: I am allergic to peanuts | a: Noted | u: I work at Bosch | a: It makes good drills";
    expect(merged(TOLD, came)).toBe(came);
    expect(merged(TOLD, `${came} | u: Thanks`)).toBe(`${came} | u: Thanks`);
  });

  test("that diverges after the same exchange loses nothing and keeps the exchange once", () => {
    expect(merged(TOLD, "u: I am allergic to peanuts | a: Noted | u: The car is red | a: Lovely")).toBe(
      `${TOLD} | u: The car is red | a: Lovely`,
    );
  });

  test("can be a sliding window", () => {
    const talk = `system: Be kind | ${TALK}`;
    expect(merged(talk, "system: Be kind | u: I keep bees | a: Honey | u: Bye")).toBe(`${talk} | u: Bye`);
  });

  test("can have a different system prompt each time", () => {
    const came = `system: Tuesday | ${TALK} | u: Bye`;
    expect(merged(`system: Monday | ${TALK}`, came)).toBe(came);
  });

  test.each([
    ["has the same beginning", "u: I live in Rome now | a: Good | u: My sister has twins | a: Lovely | u: Bye"],
    ["has one answer in common", "u: The cat is ill | a: Honey"],
    ["has nothing in common", "u: The cat is ill | a: Poor thing"],
  ])("is not assumed if a submission only %s", (_name, came) => {
    expect(merged(TALK, came)).toBe(`${TALK} | ${came}`);
  });
});
