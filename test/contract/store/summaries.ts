import { expect, test } from "vitest";
import type { ProfileSummary } from "../../../src/core/ports.js";
import { buildMemoryDraft, FIRST_VERSION } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

export function summariesContract(open: OpenStore): void {
  const at = useStore(open);
  const remember = async (containerTag: string) => {
    await at.store.containers.ensure(at.organization, [containerTag]);
    return at.store.memories.insert(at.organization, buildMemoryDraft({ containerTag }), FIRST_VERSION);
  };
  const summaryOf = (bucket: string, covers: readonly string[]): ProfileSummary => ({
    bucket,
    lines: [{ text: `About ${bucket}`, memoryIds: covers }],
    covers,
    prompt: "summarise-profile/1",
  });

  test("a summary is returned as it was saved, only for its container and organisation", async () => {
    const [one, two] = [await remember("a"), await remember("a")];
    await remember("b");
    const saved = summaryOf("music", [one.id, two.id]);
    await at.store.summaries.save(at.organization, "a", saved);
    expect(await at.store.summaries.holding(at.organization, "a")).toEqual([saved]);
    expect(await at.store.summaries.holding(at.organization, "b")).toEqual([]);
    expect(await at.store.summaries.holding(OTHER_ORGANIZATION, "a")).toEqual([]);
    await at.store.summaries.save(OTHER_ORGANIZATION, "a", summaryOf("music", []));
    expect(await at.store.summaries.holding(at.organization, "a")).toEqual([saved]);
  });

  test("a bucket has one summary, the last", async () => {
    const { id } = await remember("a");
    for (const bucket of ["music", "work", "music"])
      await at.store.summaries.save(at.organization, "a", summaryOf(bucket, [id]));
    const kept = await at.store.summaries.holding(at.organization, "a");
    expect(kept.map(({ bucket }) => bucket).toSorted()).toEqual(["music", "work"]);
  });

  test("nothing is stored for an unknown container", async () => {
    await at.store.summaries.save(at.organization, "nowhere", summaryOf("music", []));
    expect(await at.store.summaries.holding(at.organization, "nowhere")).toEqual([]);
  });

  test("is invalid once a memory of it is superseded, forgotten, a guess again, moved or removed", async () => {
    const other = await remember("b");
    for (const change of [{ isLatest: false }, { isForgotten: true }, { isInference: true }]) {
      const { id } = await remember("a");
      await at.store.summaries.save(at.organization, "a", summaryOf("music", [id]));
      expect(await at.store.summaries.holding(at.organization, "a")).toHaveLength(1);
      await at.store.memories.update(at.organization, id, change);
      expect(await at.store.summaries.holding(at.organization, "a")).toEqual([]);
    }
    for (const id of [other.id, "1111111111111111111111"]) {
      await at.store.summaries.save(at.organization, "a", summaryOf("music", [id]));
      expect(await at.store.summaries.holding(at.organization, "a")).toEqual([]);
    }
  });

  test("lists containers that have changed since an entry of the journal", async () => {
    const entry = (containerTag: string | null) => ({
      batchId: "1111111111111111111111",
      actor: "local",
      action: "memory.added",
      subject: "memory" as const,
      subjectId: "1111111111111111111111",
      containerTag,
      cause: null,
      before: null,
      after: null,
    });
    const start = await at.store.summaries.changedSince(at.organization, 0);
    await at.store.journal.append(at.organization, [entry("a"), entry("b"), entry("a"), entry(null)]);
    const changed = await at.store.summaries.changedSince(at.organization, start.journalSeq);
    expect(changed.tags.toSorted()).toEqual(["a", "b"]);
    expect(changed.journalSeq).toBe(start.journalSeq + 4);
    expect(await at.store.summaries.changedSince(at.organization, changed.journalSeq)).toEqual({
      tags: [],
      journalSeq: changed.journalSeq,
    });
    expect((await at.store.summaries.changedSince(OTHER_ORGANIZATION, 0)).tags).toEqual([]);
  });
}
