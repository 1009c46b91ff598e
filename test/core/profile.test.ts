import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, CreateMemoriesInput, Profile } from "../../src/core/index.js";
import { presentProfile } from "../../src/transports/rest/search/present-profile.js";
import { createId } from "../../src/lib/ids.js";
import { openManualCore, type ManualCore } from "../support/manual-core.js";

const DAY = 86_400_000;

let opened: ManualCore;
let call: Call;
beforeEach(async () => {
  opened = await openManualCore();
  call = opened.call();
});
afterEach(() => opened.close());

const remember = async (memories: CreateMemoriesInput["memories"]) =>
  (await opened.core.createMemories(call, { containerTag: "a", memories })).memories;
const profile = (more: Record<string, unknown> = {}): Promise<Profile> =>
  opened.core.profile(call, { containerTag: "a", ...more });
const texts = (memories: readonly { text: string }[] | undefined) => memories?.map(({ text }) => text);
const seconds = (count: number) => new Date(opened.clock.now().getTime() + count * 1_000).toISOString();

describe("a profile contains what is currently true", () => {
  test("new, corrected and forgotten facts appear immediately in every part", async () => {
    expect((await profile()).dynamic).toEqual([]);
    const [tea] = await remember([{ content: "Ines likes tea" }]);
    expect(texts((await profile()).dynamic)).toEqual(["Ines likes tea"]);
    expect(texts((await profile()).buckets?.["preferences"]?.recent)).toEqual(["Ines likes tea"]);
    await opened.core.updateMemory(call, { id: tea?.id ?? "", newContent: "Ines likes cocoa", containerTag: "a" });
    expect(texts((await profile()).dynamic)).toEqual(["Ines likes cocoa"]);
    expect(texts((await profile()).buckets?.["preferences"]?.recent)).toEqual(["Ines likes cocoa"]);
    await opened.core.forget(call, { content: "Ines likes cocoa", containerTag: "a" });
    expect((await profile()).dynamic).toEqual([]);
    expect((await profile()).buckets).toEqual({ preferences: { recent: [], summary: null } });
  });

  test("a temporary fact leaves every part when it expires, without any clean-up", async () => {
    await remember([
      { content: "Ines likes this week's soup", forgetAfter: seconds(10) },
      { content: "Ines loves her tent", isStatic: true, forgetAfter: seconds(20) },
    ]);
    const shown = async () => {
      const { static: lasting, dynamic, buckets } = await profile();
      return [lasting?.length, dynamic?.length, buckets?.["preferences"]?.recent.length];
    };
    expect(await shown()).toEqual([1, 1, 2]);
    opened.clock.advance(9_000);
    expect(await shown()).toEqual([1, 1, 2]);
    opened.clock.advance(1_000);
    expect(await shown()).toEqual([1, 0, 1]);
    opened.clock.advance(10_000);
    expect(await shown()).toEqual([0, 0, 0]);
  });

  test("an unreviewed guess is not a lasting fact; once approved it is", async () => {
    const { store } = opened;
    await remember([{ content: "Ines is a baker", isStatic: true }]);
    const guess = await store.memories.insert(
      store.organizationId,
      {
        id: createId(),
        containerTag: "a",
        text: "Ines loves early mornings",
        kind: "fact",
        isStatic: true,
        isInference: true,
        forgetAfter: null,
        forgetReason: null,
        origin: "user",
        metadata: null,
      },
      { parentId: null, rootId: null, version: 1 },
    );
    expect(texts((await profile()).static)).toEqual(["Ines is a baker"]);
    expect((await profile()).buckets?.["preferences"]?.recent).toEqual([]);
    await store.memories.update(store.organizationId, guess.id, { isInference: false });
    expect(texts((await profile()).static)).toEqual(["Ines loves early mornings", "Ines is a baker"]);
    expect(texts((await profile()).buckets?.["preferences"]?.recent)).toEqual(["Ines loves early mornings"]);
  });
});

describe("recent facts", () => {
  const fill = (count: number) =>
    remember(Array.from({ length: count }, (_, index) => ({ content: `Day ${index}: Ines fed ${index + 2} birds` })));
  const setKind = async (text: string, kind: string, strength = 1) => {
    const { store } = opened;
    const draft = { containerTag: "a", isStatic: false, isInference: false, forgetAfter: null, forgetReason: null };
    const memory = await store.memories.insert(
      store.organizationId,
      { ...draft, id: createId(), text, kind: kind as "episode", origin: "user", metadata: null },
      { parentId: null, rootId: null, version: 1 },
    );
    await store.memories.update(store.organizationId, memory.id, { strength });
  };

  test("are the latest fifty, newest first", async () => {
    await fill(60);
    const dynamic = texts((await profile()).dynamic) ?? [];
    expect(dynamic).toHaveLength(50);
    expect([dynamic[0], dynamic[49]]).toEqual(["Day 59: Ines fed 61 birds", "Day 10: Ines fed 12 birds"]);
  });

  test("leave out old episodes first and repeated preferences last; nothing is deleted", async () => {
    await remember([{ content: "Ines is tall", isStatic: true }]);
    await setKind("Ines prefers figs", "preference", 8);
    await setKind("Ines prefers plums", "preference", 1);
    opened.clock.advance(30 * DAY);
    await setKind("Ines missed a bus", "episode");
    await setKind("Ines owns a kayak", "fact");
    opened.clock.advance(60 * DAY);
    await fill(48);
    const dynamic = texts((await profile()).dynamic) ?? [];
    expect(dynamic.slice(-2)).toEqual(["Ines owns a kayak", "Ines prefers figs"]);
    expect(dynamic).not.toContain("Ines missed a bus");
    expect(await opened.store.memories.active(opened.store.organizationId, "a", { limit: 100 })).toHaveLength(53);
  });
});

describe("buckets", () => {
  test("show the twelve newest facts, and summarise older ones in one line", async () => {
    await remember(Array.from({ length: 15 }, (_, index) => ({ content: `Ines likes soup number ${index}` })));
    const { recent, summary } = (await profile()).buckets?.["preferences"] ?? {};
    expect(recent).toHaveLength(12);
    expect(recent?.[0]?.text).toBe("Ines likes soup number 14");
    expect(summary).toBe("Ines likes soup number 2; soup number 1; soup number 0.");
  });

  test("have no summary up to twelve facts", async () => {
    await remember(Array.from({ length: 12 }, (_, index) => ({ content: `Ines likes soup number ${index}` })));
    expect((await profile()).buckets?.["preferences"]).toMatchObject({ recent: { length: 12 }, summary: null });
  });
});

describe("a fact as the profile shows it", () => {
  test("can be corrected and forgotten by the text displayed", async () => {
    await remember([{ content: "Ines lives in Faro" }]);
    const shown = (text: string) => `[Recent] [${opened.clock.now().toISOString().slice(0, 10)}] ${text}`;
    await opened.core.updateMemory(call, {
      content: shown("Ines lives in Faro"),
      newContent: "Ines lives in Graz",
      containerTag: "a",
    });
    expect(texts((await profile()).dynamic)).toEqual(["Ines lives in Graz"]);
    await opened.core.forget(call, { content: shown("Ines lives in Graz"), containerTag: "a" });
    expect((await profile()).dynamic).toEqual([]);
  });

  test("matches a fact whose own text begins like that first", async () => {
    await remember([{ content: "[Recent] Ines lives in Faro" }, { content: "Ines lives in Faro" }]);
    await opened.core.forget(call, { content: "[Recent] Ines lives in Faro", containerTag: "a" });
    expect(texts((await profile()).dynamic)).toEqual(["Ines lives in Faro"]);
  });
});

describe("a profile contains what matters", () => {
  const VITAL = [
    "User's name is Ines Weber",
    "User works as a nurse at the children's hospital",
    "User is allergic to peanuts",
    "User wants answers in bullet points",
  ];
  const bulk = async (count: number, isStatic?: boolean) => {
    for (let from = 0; from < count; from += 50)
      await remember(
        Array.from({ length: Math.min(50, count - from) }, (_, index) => ({
          content: `${isStatic ? "Trait" : "Visit"} ${from + index}: Ines fed ${from + index + 2} birds in the park by the old mill`,
          ...(isStatic !== undefined && { isStatic }),
        })),
      );
  };

  test.each([
    ["recent", undefined],
    ["lasting", true],
  ])("name, job, allergies and how to respond, whatever was added later: 300 %s facts", async (_, isStatic) => {
    await remember(VITAL.map((content) => ({ content })));
    await bulk(300, isStatic);
    expect(
      texts((await profile()).static)
        ?.slice(0, 4)
        .toSorted(),
    ).toEqual(VITAL.toSorted());
  });

  test("and stays short, whatever is known", async () => {
    await remember(VITAL.map((content) => ({ content })));
    await bulk(150);
    await bulk(150, true);
    await remember([{ content: `Ines likes ${"very long walks ".repeat(400)}` }]);
    const { static: lasting = [], dynamic = [], buckets = {} } = await profile();
    const shown = [...lasting, ...dynamic, ...Object.values(buckets).flatMap(({ recent }) => recent)];
    const characters = shown.reduce((sum, { text }) => sum + text.length, 0);
    expect(characters / 4).toBeLessThan(1_500);
    expect(lasting.length).toBeGreaterThan(20);
    expect(dynamic.length).toBeGreaterThan(20);
  });

  test.each([
    "The wifi password is tr0ub4dor&3",
    "User's bank PIN is 4711",
    "The door code is 90210#",
    "The API key for the weather service is sk-live-51Habcdefghijklmnop",
    "User's credit card number is 4111 1111 1111 1111",
    "AWS uses AKIAIOSFODNN7EXAMPLE",
  ])("and no secret, although search finds it: %s", async (content) => {
    await remember([{ content }, { content: `${content}!`, isStatic: true }, { content: "Ines likes tea" }]);
    const { static: lasting, dynamic, buckets } = await profile();
    expect(JSON.stringify([lasting, dynamic, buckets])).not.toContain(content.slice(-8));
    expect(texts(dynamic)).toContain("Ines likes tea");
    expect(JSON.stringify((await opened.core.search(call, { q: content, containerTags: ["a"] })).results)).toContain(
      content.slice(-8),
    );
  });

  test.each([
    "The password policy is strict",
    "User keeps the passwords in a safe",
    "User's password manager is Bitwarden",
    "The API key is rotated every month",
    "User collects enamel pins",
  ])("text that only mentions secrets is not one: %s", async (content) => {
    await remember([{ content }]);
    expect(texts((await profile()).dynamic)).toEqual([content]);
  });

  test("and facts that wait for review with a mark, under which they can be forgotten", async () => {
    const [guess] = await remember([{ content: "Ines likes figs" }]);
    await opened.store.memories.update(opened.store.organizationId, guess?.id ?? "", { isInference: true });
    const shown = presentProfile(await profile()).profile;
    const day = opened.clock.now().toISOString().slice(0, 10);
    const marked = `[Recent] [${day}] [Unreviewed] Ines likes figs`;
    expect(shown.dynamic).toEqual([marked]);
    expect(shown.buckets?.["preferences"]).toEqual(["[Recent] [Unreviewed] Ines likes figs"]);
    await opened.core.forget(call, { content: marked, containerTag: "a" });
    expect((await profile()).dynamic).toEqual([]);
  });

  test("a fact declared as not lasting stays recent, and an expiring one is never lasting", async () => {
    await remember([
      { content: "User works as a nurse", isStatic: false },
      { content: "User is allergic to the paint in room 4", forgetAfter: seconds(60) },
      { content: "The flag is called pricing.v2" },
    ]);
    const { static: lasting, dynamic } = await profile();
    expect([lasting, dynamic?.length]).toEqual([[], 3]);
  });
});
