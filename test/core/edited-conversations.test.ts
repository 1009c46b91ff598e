import { afterEach, describe, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const user = (content: string) => ({ role: "user", content });
const reply = { role: "assistant", content: "Nice." };
const about = (home: string, more: string) => [user("My cat is named Tom."), reply, user(home), reply, user(more)];

let opened: ManualCore;
afterEach(() => opened.close());

async function send(messages: unknown[]): Promise<void> {
  opened.clock.advance(60_000);
  await opened.core.addConversation(opened.call(), { conversationId: "talk", containerTags: ["a"], messages });
}

async function known(): Promise<string[]> {
  const { entries } = await opened.core.listMemories(opened.call(), { containerTags: ["a"], limit: 100 });
  return entries.map(({ memory }) => memory.text).sort();
}

/** Submits all before the first is read, then processes them. */
async function sendUnread(...conversations: unknown[][]): Promise<void> {
  opened = await openManualCore({ jobs: false });
  for (const messages of conversations) await send(messages);
  const { dataDirectory, clock } = opened;
  await opened.stop();
  opened = await openManualCore({ dataDirectory, clock });
  await opened.settle();
}

async function sendRead(...conversations: unknown[][]): Promise<void> {
  opened = await openManualCore();
  for (const messages of conversations) {
    await send(messages);
    await opened.settle();
  }
}

describe.each([
  ["after its first text was read", sendRead],
  ["before its first text was read", sendUnread],
])("a conversation with an edited message, %s", (_when, sendAll) => {
  test.each([
    ["I live in Ghent.", "I live in Bruges.", "User lives in Bruges"],
    ["I like red wine.", "I like white wine.", "User likes white wine"],
  ])("%s to %s, keeps only the statement of the new message", async (before, after, expected) => {
    await sendAll(about(before, "I like tea."), about(after, "I like tea."));
    expect(await known()).toEqual([expected, "User likes tea", "User's cat is named Tom"].sort());
  });

  test("that now says less keeps nothing that is no longer said", async () => {
    const talk = (pets: string) => about(pets, "I like tea.");
    await sendAll(talk("I have a dog named Rex. My dog is a border collie."), talk("I have a parrot."));
    expect(await known()).toEqual(["User has a parrot", "User likes tea", "User's cat is named Tom"]);
  });

  test("that then continues also keeps only the new statement", async () => {
    const edited = about("I live in Bruges.", "I like tea.");
    await sendAll(about("I live in Ghent.", "I like tea."), edited, [...edited, reply, user("I play the oboe.")]);
    const texts = await known();
    expect(texts).toContain("User lives in Bruges");
    expect(texts).not.toContain("User lives in Ghent");
  });

  test("keeps statements of other messages, and similar statements that follow", async () => {
    const talk = about("I live in Bruges.", "I like red wine.");
    await sendAll(talk, [...talk, reply, user("I like white wine.")]);
    expect(await known()).toEqual(expect.arrayContaining(["User likes red wine", "User likes white wine"]));
  });
  test("does not repeat statements that the message made before", async () => {
    const talk = (canal: string) => about(`I work at Siemens. The canal is ${canal}.`, "I now work at Bosch.");
    await sendAll(talk("long"), talk("short"));
    expect(await known()).toEqual(["User now works at Bosch", "User's cat is named Tom"]);
  });
});
