import { describe, expect, test } from "vitest";
import { useReadingAgent } from "../support/reading-agent.js";

const agent = useReadingAgent();

const NOTE = "The bakery in Ulm ships its sourdough to Ghent on Fridays, by the night train.";

describe("a pending extraction", () => {
  test("is a text that only rules have read, with instructions", async () => {
    const id = await agent.add(NOTE, { title: "Bread", documentDate: "2026-03-04" });
    const { tasks, remaining, instructions } = await agent.ask();
    expect(tasks).toEqual([
      {
        taskId: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{22}$/),
        documentId: id,
        title: "Bread",
        date: "2026-03-04",
        part: 1,
        parts: 1,
        text: NOTE,
        known: expect.any(Array),
        guidance: {},
      },
    ]);
    expect(remaining).toBe(0);
    expect(instructions).toContain("quote");
  });

  test.each<[string, Record<string, unknown>]>([
    ["a superrag text", { taskType: "superrag" }],
    ["a text with facts stated by its sender", { facts: [{ text: "The bakery is in Ulm." }] }],
    ["a text whose sender states that it has no facts", { facts: [] }],
  ])("is not %s", async (_what, more) => {
    await agent.add(NOTE, more);
    expect(await agent.ask()).toMatchObject({ tasks: [], remaining: 0 });
  });

  test("is not created for direct memories, empty texts or an unknown container", async () => {
    await agent.core.createMemories(agent.call, { containerTag: "a", memories: [{ content: "Mia lives in Porto." }] });
    await agent.add("… — !");
    expect(await agent.ask()).toMatchObject({ tasks: [], remaining: 0 });
    expect(await agent.ask({ containerTag: "nowhere" })).toMatchObject({ tasks: [], remaining: 0 });
  });

  test("is not a text that a language model has read at its latest revision", async () => {
    const id = await agent.add(NOTE);
    const { store } = agent.opened;
    const asked = { documentId: id, revision: 1, model: "m", inputTokens: 1, outputTokens: 1 };
    await store.extractions.note(store.organizationId, { ...asked, prompt: "describe-document/1" });
    expect((await agent.ask()).tasks).toHaveLength(1);
    agent.opened.clock.advance(10 * 60_000);
    await store.extractions.note(store.organizationId, { ...asked, prompt: "extract-facts/2" });
    expect(await agent.ask()).toMatchObject({ tasks: [], remaining: 0 });
    await agent.core.updateDocument(agent.call, { id, content: "Something else entirely." });
    await agent.opened.settle();
    expect((await agent.ask()).tasks).toMatchObject([{ text: "Something else entirely." }]);
  });

  test("is not an expired text, whether or not it was handed out before", async () => {
    const soon = new Date(agent.opened.clock.now().getTime() + 3_600_000).toISOString();
    for (const content of [NOTE, "The mill in Ulm grinds rye for the bakery on Mondays."])
      await agent.add(content, { forgetAfter: soon });
    const known = await agent.ask({ limit: 1 });
    expect(known).toMatchObject({ tasks: [{ text: NOTE }], remaining: 1 });
    agent.opened.clock.advance(2 * 3_600_000);
    expect(await agent.ask()).toMatchObject({ tasks: [], remaining: 0 });
    await agent.core.updateDocument(agent.call, { id: known.tasks[0]?.documentId ?? "", forgetAfter: null });
    await agent.opened.settle();
    expect((await agent.ask()).tasks, "once the end is taken off").toMatchObject([{ text: NOTE }]);
  });

  test("splits a long text into parts that cover all of it", async () => {
    const lines = Array.from({ length: 400 }, (_, line) => `Line ${line} tells of ship ${line} in harbour ${line}.`);
    const content = lines.join("\n");
    await agent.add(content);
    const { tasks, remaining } = await agent.ask({ limit: 10 });
    expect(tasks.map(({ part, parts }) => `${part}/${parts}`)).toEqual(["1/3", "2/3", "3/3"]);
    for (const { text } of tasks) expect(text.length).toBeLessThanOrEqual(8_000);
    for (const line of lines) expect(tasks.some(({ text }) => text.includes(line))).toBe(true);
    expect(remaining).toBe(0);
  });

  test("includes known memories under handles, and the owner's guidance", async () => {
    await agent.core.updateContainer(agent.call, { containerTag: "a", entityContext: "Mia, a baker" });
    await agent.core.createMemories(agent.call, {
      containerTag: "a",
      memories: [{ content: "The bakery in Ulm ships its sourdough to Ghent on Mondays." }],
    });
    await agent.core.createMemories(agent.call, {
      containerTag: "b",
      memories: [{ content: "The bakery in Ulm ships its secret sourdough to Ghent." }],
    });
    await agent.add(NOTE);
    const { tasks } = await agent.ask();
    expect(tasks[0]?.known).toContainEqual({
      id: expect.stringMatching(/^m\d+$/),
      text: "The bakery in Ulm ships its sourdough to Ghent on Mondays.",
    });
    expect(JSON.stringify(tasks)).not.toContain("secret");
    expect(tasks[0]?.guidance).toEqual({ entityContext: "Mia, a baker" });
  });

  test("includes only memories that match the document's own filter", async () => {
    await agent.core.createMemories(agent.call, {
      containerTag: "a",
      memories: [
        { content: "The bakery in Ulm ships sourdough on Mondays.", metadata: { team: "red" } },
        { content: "The bakery in Ulm ships sourdough on Tuesdays.", metadata: { team: "blue" } },
      ],
    });
    await agent.add(NOTE, { filterByMetadata: { team: "red" } });
    const known = (await agent.askOne()).known.map(({ text }) => text);
    expect(known).toContain("The bakery in Ulm ships sourdough on Mondays.");
    expect(known).not.toContain("The bakery in Ulm ships sourdough on Tuesdays.");
  });

  test("is handed out to one agent at a time", async () => {
    await agent.add("Ulm is old.");
    await agent.add("Ghent is old.");
    await agent.add("Porto is old.");
    const first = await agent.ask({ limit: 2 });
    const second = await agent.ask({ limit: 2 });
    expect(first.tasks.map(({ text }) => text)).toEqual(["Ulm is old.", "Ghent is old."]);
    expect(first.remaining).toBe(1);
    expect(second.tasks.map(({ text }) => text)).toEqual(["Porto is old."]);
    expect(second.remaining).toBe(2);
    expect((await agent.ask()).tasks).toEqual([]);
  });

  test("is handed out once when several agents ask simultaneously", async () => {
    for (const town of ["Ulm", "Ghent", "Porto", "Lyon"]) await agent.add(`${town} is old.`);
    const answers = await Promise.all([1, 2, 3, 4].map(() => agent.ask({ limit: 1 })));
    const ids = answers.flatMap(({ tasks }) => tasks.map(({ documentId }) => documentId));
    expect(new Set(ids).size).toBe(4);
  });

  test("is returned again to a repeated call with the same operation id", async () => {
    await agent.add("Ulm is old.");
    await agent.add("Ghent is old.");
    const again = { ...agent.call, operationId: "op" };
    const first = await agent.core.pendingExtractions(again, { containerTag: "a", limit: 1 });
    expect(await agent.core.pendingExtractions(again, { containerTag: "a", limit: 1 })).toEqual(first);
  });

  test("is available again after ten minutes, and then only the new agent can submit it", async () => {
    await agent.add(NOTE);
    const first = await agent.askOne();
    agent.opened.clock.advance(10 * 60_000 - 1);
    expect((await agent.ask()).tasks).toEqual([]);
    agent.opened.clock.advance(1);
    const second = await agent.askOne();
    expect(second.taskId).not.toBe(first.taskId);
    await expect(agent.submit(first.taskId, [])).rejects.toMatchObject({ kind: "not_found" });
    await agent.submit(second.taskId, []);
  });

  test("may be submitted late if no other agent has it", async () => {
    await agent.add(NOTE);
    const { taskId } = await agent.askOne();
    agent.opened.clock.advance(60 * 60_000);
    await agent.submit(taskId, []);
    expect(await agent.ask()).toMatchObject({ tasks: [], remaining: 0 });
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ["replaced", (id) => agent.core.updateDocument(agent.call, { id, content: "Something else entirely." })],
    ["moved to another container", (id) => agent.core.updateDocument(agent.call, { id, containerTags: ["b"] })],
    ["deleted", (id) => agent.core.deleteDocument(agent.call, { id })],
  ])("ends when the document is %s", async (_how, change) => {
    const id = await agent.add(NOTE);
    const { taskId } = await agent.askOne();
    await change(id);
    await agent.opened.settle();
    const before = await agent.opened.rowCounts();
    const refusal = { kind: "not_found", message: expect.stringContaining(taskId) };
    await expect(agent.submit(taskId, [{ text: "Bread is sold." }])).rejects.toMatchObject(refusal);
    expect(await agent.opened.rowCounts()).toEqual(before);
    expect((await agent.ask()).tasks.filter(({ text }) => text === NOTE)).toEqual([]);
  });

  test("covers only the new part of a longer text once an agent has read the rest", async () => {
    await agent.add("Ulm is old.", { customId: "diary" });
    await agent.submit((await agent.askOne()).taskId, []);
    await agent.add("Ulm is old. Ghent is older.", { customId: "diary" });
    const task = await agent.askOne();
    expect(task.text).toBe(" Ghent is older.");
    await agent.submit(task.taskId, [{ text: "Ghent is older than Ulm.", quote: "Ghent is older" }]);
    expect(await agent.textsOf()).toContain("Ghent is older than Ulm.");
    await agent.core.updateDocument(agent.call, { id: task.documentId, containerTags: ["b"] });
    await agent.opened.settle();
    expect(await agent.ask({ containerTag: "b" })).toMatchObject({ tasks: [], remaining: 0 });
  });

  test("is removed when its document is deleted", async () => {
    const id = await agent.add(NOTE);
    await agent.ask();
    expect((await agent.opened.rowCounts())["extraction_tasks"]).toBe(1);
    await agent.core.deleteDocument(agent.call, { id });
    expect((await agent.opened.rowCounts())["extraction_tasks"]).toBe(0);
  });
});
