import { afterAll, beforeAll, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../support/open-core.js";

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

const SHIP =
  "The ship Lena leaves Bergen on Mondays. The crew of the ship is small. Bergen was cold. The ship carries salt.";
const LONG = `${SHIP} The captain of the ship writes a log every evening in the harbour. The salt goes to Porto. In Porto the ship takes wine for Bergen. The cook likes wine. Rain fell all night on the quay.`;

async function summaryOf(input: Record<string, unknown>): Promise<string | null> {
  const call = { actor: opened.actor };
  const { id } = await opened.core.addDocument(call, { containerTags: ["ships"], ...input });
  await opened.settle();
  return (await opened.core.getDocument(call, { id })).document.summary;
}

test("a document has a summary made of its own sentences", async () => {
  expect(await summaryOf({ content: LONG })).toContain("The ship");
});

test("another text with the same customId has another summary, a short one none", async () => {
  expect(await summaryOf({ content: LONG, customId: "log" })).not.toBeNull();
  expect(await summaryOf({ content: "The ship is home.", customId: "log" })).toBeNull();
});

test("the summary of a conversation is made of what was said", async () => {
  const messages = LONG.split(/(?<=\.) /).map((content, index) => ({
    role: index % 2 ? "assistant" : "user",
    content,
  }));
  const call = { actor: opened.actor };
  const { id } = await opened.core.addConversation(call, {
    conversationId: "talk",
    messages,
    containerTags: ["ships"],
  });
  await opened.settle();
  const { document } = await opened.core.getDocument(call, { id });
  expect(document.summary).toContain("ship");
  expect(document.summary).not.toMatch(/user:|assistant:/);
});
