import { describe, expect, test } from "vitest";
import { useReadingAgent } from "../support/reading-agent.js";

const agent = useReadingAgent();

const NOTE = "The bakery in Ulm ships its sourdough to Ghent on Fridays, by the night train.";

describe("facts stated with a document", () => {
  test("may quote it; a fact with a quote that is not in it becomes a guess", async () => {
    const { facts } = await agent.core.addDocument(agent.call, {
      content: NOTE,
      containerTags: ["a"],
      wait: 20,
      facts: [
        { text: "The bakery ships on Fridays.", quote: "on fridays", kind: "episode" },
        { text: "The bakery is in Ulm." },
        { text: "The bakery is bankrupt.", quote: "went bankrupt" },
      ],
    });
    expect(facts?.map(({ outcome }) => outcome)).toEqual(["added", "added", "review"]);
    const { organizationId } = agent.opened.store;
    expect(await agent.opened.store.memories.byId(organizationId, facts?.[0]?.id ?? "")).toMatchObject({
      kind: "episode",
    });
    expect(await agent.opened.store.memories.statements(organizationId, [facts?.[0]?.id ?? ""])).toMatchObject([
      { quote: "on Fridays", quoteAt: { start: NOTE.indexOf("on Fridays") } },
    ]);
  });

  test("replace nothing if their quote is not in the document", async () => {
    const { memories } = await agent.core.createMemories(agent.call, {
      containerTag: "a",
      memories: [{ content: "The bakery thrives." }],
    });
    await agent.core.addDocument(agent.call, {
      content: NOTE,
      containerTags: ["a"],
      wait: 20,
      facts: [{ text: "The bakery is bankrupt.", quote: "went bankrupt", updates: memories[0]?.id }],
    });
    expect(await agent.textsOf()).toContain("The bakery thrives.");
  });

  test.each([
    ["an empty quote", { quote: " " }, "facts.0.quote: must not be empty"],
    ["a huge quote", { quote: "x".repeat(2_001) }, "facts.0.quote: must have at most 2000"],
    ["an unknown kind", { kind: "rumour" }, "facts.0.kind: must be fact, preference or episode"],
  ])("with %s are rejected with a message", async (_what, more, message) => {
    const input = { content: NOTE, facts: [{ text: "x", ...more }] };
    await expect(agent.core.addDocument(agent.call, input)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining(message),
    });
  });
});
