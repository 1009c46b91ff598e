import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forgetExpired } from "../../src/core/upkeep/upkeep.js";
import { questionOf, type Reader } from "../support/model-reader.js";
import { DAY, expectTruth, knownIn, MINDS, openWorld, type World } from "../support/state-world.js";

/** What a language model extracts from the sentences below that need interpretation. */
const READER: Reader = {
  "I live in Lyon": [{ text: "User lives in Lyon", isStatic: true }],
  "No, I live in Bergen": [{ text: "User lives in Bergen", isStatic: true }],
  "Actually, Mia lives in Bergen": [{ text: "Mia lives in Bergen", isStatic: true }],
  "I like chess": [{ text: "User likes chess", kind: "preference", isStatic: true }],
  "I like sailing": [{ text: "User likes sailing", kind: "preference", isStatic: true }],
  "I no longer like chess": [{ text: "User no longer likes chess", kind: "preference", isStatic: true }],
  "I work at Siemens": [{ text: "User works at Siemens" }],
  "I no longer work at Siemens": [{ text: "User no longer works at Siemens" }],
  "I worked at Google until 2023": [{ text: "User worked at Google until 2023", kind: "episode" }],
  "I will move to Bergen in September": [
    { text: "User will move to Bergen in September 2024", eventDates: ["2024-09-01"] },
  ],
  "I have an exam tomorrow": [
    {
      text: "User has an exam on 8 May 2024",
      kind: "episode",
      eventDates: ["2024-05-08"],
      forgetAfter: "2024-05-08",
    },
  ],
  "My sister Anna lives in Rome": [{ text: "User's sister Anna lives in Rome", isStatic: true }],
  "My colleague Anna lives in Bonn": [{ text: "User's colleague Anna lives in Bonn", isStatic: true }],
  "My sister Anna moved to Bern": [{ text: "User's sister Anna moved to Bern", kind: "episode" }],
  "Thanks, that was great": [],
};

describe.each(MINDS)("the current facts, by %s:", (mind) => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld(mind);
    world.understand(READER);
  });
  afterEach(() => world.close());

  const truth = (...texts: readonly string[]) => expectTruth(world, texts);
  const idOf = async (text: string) => {
    const { entries } = await world.core.listMemories(world.call(), { containerTags: ["a"], limit: 100 });
    return entries.find(({ memory }) => memory.text === text)?.memory.id ?? "";
  };
  const versionsOf = async (text: string) =>
    (await world.core.readHistory(world.call(), { id: await idOf(text) })).versions.map((version) => version.text);
  const sourceCountOf = async (text: string) =>
    (await world.core.fetch(world.call(), { id: await idOf(text) })).memory?.sourceCount;
  const questions = () => world.provider?.requests.map((request) => questionOf(request).name) ?? [];
  const newestBatch = async () => (await world.core.listJournal(world.call(), { limit: 1 })).items[0]?.batchId ?? "";
  const undo = (batchId: string) => world.core.undoBatch(world.call(), { batchId });

  describe("news", () => {
    test("replaces what it contradicts", async () => {
      await world.tell("Mia lives in Lyon.");
      const { receipt } = await world.tell("Mia moved to Oslo.");
      expect(receipt).toMatchObject([{ outcome: "updated" }]);
      await truth("Mia moved to Oslo");
      expect(await versionsOf("Mia moved to Oslo")).toEqual(["Mia lives in Lyon", "Mia moved to Oslo"]);
      expect(questions()).toEqual(mind === "rules" ? [] : ["extract_facts", "extract_facts", "relate_facts"]);
    });

    test("forms a chain of versions in order, and the history lists them", async () => {
      for (const place of ["Lyon", "Oslo", "Bergen"]) await world.tell(`Mia lives in ${place}.`);
      await truth("Mia lives in Bergen");
      expect(await versionsOf("Mia lives in Bergen")).toEqual([
        "Mia lives in Lyon",
        "Mia lives in Oslo",
        "Mia lives in Bergen",
      ]);
    });

    test("that restores an earlier value is a new version", async () => {
      for (const place of ["Lyon", "Oslo", "Lyon"]) await world.tell(`Mia lives in ${place}.`);
      await truth("Mia lives in Lyon");
      expect(await versionsOf("Mia lives in Lyon")).toHaveLength(3);
    });

    test("about another slot or person leaves the others unchanged", async () => {
      await world.tell("Mia lives in Lyon. Tom lives in Lyon.");
      await world.tell("Mia works at Siemens.");
      await world.tell("Tom lives in Bonn.");
      await truth("Mia lives in Lyon", "Mia works at Siemens", "Tom lives in Bonn");
    });

    test("that is repeated is stored once, with more strength", async () => {
      await world.tell("Mia lives in Lyon.");
      const { receipt } = await world.tell("Mia lives in Lyon.");
      expect(receipt).toMatchObject([{ outcome: "duplicate" }]);
      await truth("Mia lives in Lyon");
      expect((await world.core.fetch(world.call(), { id: await idOf("Mia lives in Lyon") })).memory).toMatchObject({
        strength: 2,
        sourceCount: 2,
        version: 1,
      });
    });

    test("that arrives late and is older than what is known becomes history", async () => {
      await world.tell("Mia lives in Oslo.", { documentDate: "2024-04-01" });
      const { receipt } = await world.tell("Mia lives in Lyon.", { documentDate: "2021-04-01" });
      expect(receipt).toMatchObject([{ outcome: "outdated" }]);
      await truth("Mia lives in Oslo");
    });
  });

  describe("a correction", () => {
    test("in the next document replaces the wrong statement", async () => {
      await world.tell("I live in Lyon.");
      await world.tell("No, I live in Bergen.");
      await truth("User lives in Bergen");
    });

    test("is recognised with an introductory word", async () => {
      await world.tell("Mia lives in Lyon.");
      await world.tell("Actually, Mia lives in Bergen.");
      await truth("Mia lives in Bergen");
    });

    test("by hand is a version like any other", async () => {
      await world.tell("Mia lives in Lyon.");
      const id = await idOf("Mia lives in Lyon");
      await world.core.updateMemory(world.call(), { containerTag: "a", id, newContent: "Mia lives in Bergen" });
      await truth("Mia lives in Bergen");
      expect(await versionsOf("Mia lives in Bergen")).toEqual(["Mia lives in Lyon", "Mia lives in Bergen"]);
    });
  });

  test("of two documents of the same day, the last one added applies", async () => {
    await world.tell("Mia lives in Lyon.", { documentDate: "2024-03-01" });
    await world.tell("Mia lives in Oslo.", { documentDate: "2024-03-01" });
    await truth("Mia lives in Oslo");
  });

  describe("a denial", () => {
    test("of a preference replaces that preference, and no other", async () => {
      await world.tell("I like chess. I like sailing.");
      await world.tell("I no longer like chess.");
      await truth("User likes sailing", "User no longer likes chess");
    });

    test("can be withdrawn", async () => {
      await world.tell("I like chess.");
      await world.tell("I no longer like chess.");
      await world.tell("I like chess.");
      await truth("User likes chess");
      expect(await versionsOf("User likes chess")).toHaveLength(3);
    });

    test("of a job replaces the job", async () => {
      await world.tell("I work at Siemens.");
      await world.tell("I no longer work at Siemens.");
      await truth("User no longer works at Siemens");
    });
  });

  describe("a temporary fact", () => {
    test("of the past does not change the present", async () => {
      await world.tell("I work at Siemens.");
      await world.tell("I worked at Google until 2023.");
      await truth("User works at Siemens", "User worked at Google until 2023");
    });

    test("of the future does not change the present", async () => {
      await world.tell("I live in Lyon.");
      await world.tell("I will move to Bergen in September.");
      await truth("User lives in Lyon", "User will move to Bergen in September 2024");
    });

    test("expires to the second, and stays expired after the clean-up", async () => {
      await world.tell("Mia lives in Lyon.", { documentDate: "2024-05-07" });
      await world.tell("I have an exam tomorrow.", { documentDate: "2024-05-07" });
      await truth("Mia lives in Lyon", "User has an exam on 8 May 2024");
      world.clock.advance(Date.parse("2024-05-08T23:59:59.998Z") - world.clock.now().getTime());
      await truth("Mia lives in Lyon", "User has an exam on 8 May 2024");
      world.clock.advance(1);
      await truth("Mia lives in Lyon");
      await forgetExpired(world.context, new AbortController().signal);
      await truth("Mia lives in Lyon");
    });

    test("is known again when it is stated after its expiry", async () => {
      await world.tell("Mia rents a boat.", {
        facts: [{ text: "Mia rents a boat", forgetAfter: "2024-05-09T00:00:00Z" }],
      });
      world.clock.advance(10 * DAY);
      await truth();
      await world.tell("Mia rents a boat.");
      await truth("Mia rents a boat");
    });
  });

  describe("two people with the same name", () => {
    test("are kept apart", async () => {
      await world.tell("My sister Anna lives in Rome.");
      await world.tell("My colleague Anna lives in Bonn.");
      await truth("User's colleague Anna lives in Bonn", "User's sister Anna lives in Rome");
    });

    test("are not affected by news about each other", async () => {
      await world.tell("My sister Anna lives in Rome. My colleague Anna lives in Bonn.");
      await world.tell("My sister Anna moved to Bern.");
      await truth("User's colleague Anna lives in Bonn", "User's sister Anna moved to Bern");
    });
  });

  describe("a fact stated by two documents", () => {
    test("stays when one is deleted, and disappears with both", async () => {
      const first = await world.tell("Mia keeps bees.");
      const second = await world.tell("Mia keeps bees. Tom lives in Bonn.");
      expect(await sourceCountOf("Mia keeps bees")).toBe(2);
      await world.core.deleteDocument(world.call(), { id: first.documentId });
      await truth("Mia keeps bees", "Tom lives in Bonn");
      expect(await sourceCountOf("Mia keeps bees")).toBe(1);
      await world.core.deleteDocument(world.call(), { id: second.documentId });
      await truth();
    });

    test("outlives its first document with text, vector and history", async () => {
      const first = await world.tell("Mia lives in Lyon.");
      await world.tell("Mia lives in Oslo.");
      await world.core.deleteDocument(world.call(), { id: first.documentId });
      await truth("Mia lives in Oslo");
      expect(await versionsOf("Mia lives in Oslo")).toEqual(["Mia lives in Lyon", "Mia lives in Oslo"]);
    });

    test("stays when one of them is purged", async () => {
      const first = await world.tell("Mia keeps bees.");
      await world.tell("Mia keeps bees.");
      await world.core.purge(world.call(), { documentId: first.documentId, confirm: true });
      await truth("Mia keeps bees");
      expect(await sourceCountOf("Mia keeps bees")).toBe(1);
    });
  });

  describe("a document", () => {
    test("that is deleted takes with it what only it states; what that replaced is current again", async () => {
      await world.tell("Mia lives in Lyon.");
      const { documentId } = await world.tell("Mia lives in Oslo. Tom plays the violin.");
      await world.core.deleteDocument(world.call(), { id: documentId });
      await truth("Mia lives in Lyon");
    });

    test("with new text states exactly what the new text says", async () => {
      const { documentId } = await world.tell("Mia lives in Lyon. Mia keeps bees.");
      await world.core.updateDocument(world.call(), { id: documentId, content: "Mia keeps bees. Tom lives in Bonn." });
      await world.settle();
      await truth("Mia keeps bees", "Tom lives in Bonn");
    });

    test("with text appended keeps its statements, and the new ones apply", async () => {
      const begun = await world.tell("Mia lives in Lyon.", { customId: "diary" });
      const next = await world.tell("Mia lives in Lyon. Mia moved to Oslo.", { customId: "diary" });
      expect(next.documentId).toBe(begun.documentId);
      await truth("Mia moved to Oslo");
    });

    test("of the task type superrag states nothing", async () => {
      await world.tell("Mia lives in Lyon.", { taskType: "superrag" });
      await truth();
    });

    test("of small talk states nothing", async () => {
      await world.tell("Thanks, that was great.");
      await truth();
    });
  });

  test("what was never stated is not known", async () => {
    await world.tell("Does Mia live in Rome?");
    await truth();
    await world.tell("Mia keeps bees.");
    const query = { q: "Where does Tom work?", containerTags: ["a"], searchMode: "memories" };
    expect((await world.core.search(world.call(), query)).results).toEqual([]);
  });

  describe("a forgotten fact", () => {
    const forget = (text: string) => world.core.forget(world.call(), { containerTag: "a", content: text });

    test("is known again when a new document states it", async () => {
      await world.tell("Mia lives in Lyon.");
      const old = await idOf("Mia lives in Lyon");
      await forget("Mia lives in Lyon");
      await truth();
      await world.tell("Mia lives in Lyon.");
      await truth("Mia lives in Lyon");
      expect(await idOf("Mia lives in Lyon")).not.toBe(old);
    });

    test("is not learned again from a part of a document that was read before", async () => {
      await world.tell("Mia lives in Lyon.", { customId: "diary" });
      await forget("Mia lives in Lyon");
      await world.tell("Mia lives in Lyon.", { customId: "diary" });
      await truth();
      await world.tell("Mia lives in Lyon. Tom plays the violin.", { customId: "diary" });
      await truth("Tom plays the violin");
    });

    test("does not restore what it had replaced", async () => {
      await world.tell("Mia lives in Lyon.");
      await world.tell("Mia lives in Oslo.");
      await forget("Mia lives in Oslo");
      await truth();
    });

    test("cannot be restored by undo if something else states the same", async () => {
      await world.tell("Mia lives in Lyon.");
      const { batchId } = await forget("Mia lives in Lyon");
      await world.tell("Mia lives in Lyon.");
      await expect(undo(batchId ?? "")).rejects.toMatchObject({ kind: "conflict" });
      await truth("Mia lives in Lyon");
    });

    test("and others that forget-matching removed are restored with one undo", async () => {
      await world.tell("Mia lives in Lyon. Mia keeps bees. Tom plays the violin.");
      const ids = [await idOf("Mia keeps bees"), await idOf("Tom plays the violin")];
      const forgotten = await world.core.forgetMatching(world.call(), { containerTag: "a", ids });
      await truth("Mia lives in Lyon");
      await undo(await newestBatch());
      await truth("Mia keeps bees", "Mia lives in Lyon", "Tom plays the violin");
      expect(forgotten.matches).toHaveLength(2);
    });

    test("is not restored by the undo of another one", async () => {
      await world.tell("Mia lives in Lyon. Mia keeps bees.");
      const first = await forget("Mia keeps bees");
      await forget("Mia lives in Lyon");
      await undo(first.batchId ?? "");
      await truth("Mia keeps bees");
    });
  });

  describe("an undo", () => {
    test("of news restores what was true before, and undoing it restores the news", async () => {
      await world.tell("Mia lives in Lyon.");
      await world.tell("Mia lives in Oslo.");
      const undone = await undo(await newestBatch());
      await truth("Mia lives in Lyon");
      await undo(undone.batchId);
      await truth("Mia lives in Oslo");
    });

    test("of an undo does not affect later statements", async () => {
      await world.tell("Mia lives in Lyon.");
      await world.tell("Mia lives in Oslo.");
      const { batchId } = await undo(await newestBatch());
      await world.tell("Mia lives in Bergen.");
      await expect(undo(batchId)).rejects.toMatchObject({ kind: "conflict" });
      await truth("Mia lives in Bergen");
      expect(await versionsOf("Mia lives in Bergen")).toContain("Mia lives in Lyon");
    });

    test("of one document's facts keeps those of others", async () => {
      await world.tell("Mia lives in Lyon.");
      await world.tell("Mia lives in Lyon. Tom plays the violin.");
      await undo(await newestBatch());
      await truth("Mia lives in Lyon");
      expect(await sourceCountOf("Mia lives in Lyon")).toBe(1);
    });
  });

  describe("containers", () => {
    test("are independent of each other", async () => {
      await world.tell("Mia lives in Lyon.");
      await world.tell("Mia lives in Oslo.", { containerTags: ["b"] });
      await truth("Mia lives in Lyon");
      await expectTruth(world, ["Mia lives in Oslo"], "b");
      await world.core.forget(world.call(), { containerTag: "b", content: "Mia lives in Oslo" });
      await truth("Mia lives in Lyon");
    });

    test("that are merged contain each fact once, and everything that either contained", async () => {
      await world.tell("Mia lives in Lyon. Mia keeps bees.");
      await world.tell("Mia lives in Lyon. Tom plays the violin.", { containerTags: ["b"] });
      const merge = { containerTags: ["a", "b"], targetContainerTag: "a" };
      await world.core.mergeContainers(world.call(), merge);
      await world.settle();
      await truth("Mia keeps bees", "Mia lives in Lyon", "Tom plays the violin");
      expect(await sourceCountOf("Mia lives in Lyon")).toBe(2);
      expect(await knownIn(world, "b")).toEqual([]);
    });

    test("that are deleted and created again are empty", async () => {
      await world.tell("Mia lives in Lyon.");
      await world.core.deleteContainer(world.call(), { containerTag: "a" });
      await world.settle();
      expect(await knownIn(world, "a")).toEqual([]);
      await world.tell("Tom plays the violin.");
      await truth("Tom plays the violin");
    });
  });
});
