import { expect, test } from "vitest";
import { AppError } from "../../../src/core/errors.js";
import { createId } from "../../../src/lib/ids.js";
import {
  buildDocumentDraft,
  buildDocumentQuery,
  buildJobDraft,
  buildJournalEntry,
  buildKey,
  buildMemoryDraft,
  buildVector,
  FIRST_VERSION,
} from "../../support/builders.js";
import { type OpenStore, rising, useStore } from "./fixture.js";

export function transactionsContract(open: OpenStore): void {
  const at = useStore(open);

  test("an error leaves nothing behind, in any table, and is passed on", async () => {
    const space = await at.store.ensureSpace("s", 3);
    const before = await at.everything();
    const failure = new AppError("conflict", "changed my mind");
    await expect(
      at.store.transaction(async (repositories) => {
        const document = await repositories.documents.insert(
          at.organization,
          buildDocumentDraft({ containerTags: ["a", "b"] }),
        );
        const [chunk] = await repositories.chunks.replace(at.organization, document.id, 1, [
          { id: createId(), content: "zebra", context: "", metadata: null },
        ]);
        const [container] = await repositories.containers.ensure(at.organization, ["a"]);
        const memory = await repositories.memories.insert(at.organization, buildMemoryDraft(), FIRST_VERSION);
        await repositories.memories.addSource(at.organization, memory.id, document.id, null);
        const containerIds = [container?.id ?? 0];
        const unit = (chunk?.seq ?? 0) * 2;
        await repositories.units.indexText({ unit, containerIds, text: "zebra", context: "" });
        await repositories.units.addVector(unit, space, buildVector(space, 1));
        await repositories.jobs.enqueue([buildJobDraft()]);
        await repositories.journal.append(at.organization, [buildJournalEntry()]);
        await repositories.operations.save("op", {});
        await repositories.keys.insert(buildKey(at.organization), "hash");
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await at.everything()).toBe(before);
  });

  test("concurrent transactions do not mix", async () => {
    const write = (name: string, fails: boolean) =>
      at.store.transaction(async (repositories) => {
        for (let index = 0; index < 5; index++) {
          await repositories.documents.insert(at.organization, buildDocumentDraft({ customId: `${name}-${index}` }));
          await new Promise((resolve) => setImmediate(resolve));
        }
        const { total } = await repositories.documents.list(at.organization, buildDocumentQuery());
        if (fails) throw new Error("no");
        return total;
      });
    const names = Array.from({ length: 12 }, (_, index) => index);
    const results = await Promise.allSettled(names.map((name) => write(`t${name}`, name % 3 === 0)));
    const totals = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    // A server may begin those that wait in any order.
    expect(totals.toSorted((a, b) => a - b)).toEqual([5, 10, 15, 20, 25, 30, 35, 40]);
    const { documents } = await at.store.documents.list(at.organization, buildDocumentQuery());
    const kept = new Set(documents.map((document) => document.customId?.split("-")[0]));
    expect(kept).toEqual(new Set(names.filter((name) => name % 3 !== 0).map((name) => `t${name}`)));
  });

  test("a single call during an open transaction waits for it and is not part of it", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const open = at.store
      .transaction(async (repositories) => {
        await repositories.documents.insert(at.organization, buildDocumentDraft({ customId: "inside" }));
        await held;
        throw new Error("no");
      })
      .catch(() => "rolled back");
    const single = at.addDocument({ customId: "outside" });
    const seen = at.store.documents.byCustomId(at.organization, "inside", "all");
    release();
    expect(await open).toBe("rolled back");
    await single;
    expect(await seen).toBeNull();
    expect(await at.store.documents.byCustomId(at.organization, "outside", "all")).not.toBeNull();
  });

  test("the next transaction works after one that failed within a statement", async () => {
    const { id } = await at.addDocument({ customId: "x" });
    await expect(
      at.store.transaction(async (repositories) => {
        await repositories.documents.insert(at.organization, buildDocumentDraft({ customId: "y" }));
        await repositories.documents.insert(at.organization, buildDocumentDraft({ id }));
      }),
    ).rejects.toThrow(/unique/i);
    await at.store.transaction((repositories) =>
      repositories.documents.insert(at.organization, buildDocumentDraft({ customId: "z" })),
    );
    const { documents } = await at.store.documents.list(at.organization, buildDocumentQuery());
    expect(documents.map((document) => document.customId).toSorted(rising)).toEqual(["x", "z"]);
  });

  test("a call of several statements outside a transaction is all or nothing", async () => {
    const { document } = await at.addIndexedDocument({ containerTags: ["a"] }, "one", "two");
    const { id } = document;
    const before = await at.everything();
    await expect(at.addDocument({ id, containerTags: ["b"] })).rejects.toThrow(/unique/i);
    const tooMany = Array.from({ length: 3 }, () => ({ id: "same", content: "x", context: "", metadata: null }));
    await expect(at.store.chunks.replace(at.organization, id, 1, tooMany)).rejects.toThrow(/unique/i);
    expect(await at.everything()).toBe(before);
  });
}
