import type Supermemory from "supermemory";
import { describe, expect } from "vitest";
import type { ClientTrial } from "../../support/client-table.js";
import * as shapes from "./shapes.js";
import type { SdkUnderTest } from "./under-test.js";

/** Tries the methods for many documents. */
export function tryManyDocuments({ tries }: ClientTrial, sdk: () => SdkUnderTest): void {
  const documents = () => sdk().client.documents;
  const idsOf = (answer: Supermemory.DocumentBatchAddResponse) => answer.results.map(({ id }) => id);

  describe("many documents", () => {
    tries("documents.batchAdd", "applies the defaults of the batch to its objects, and keeps their order", async () => {
      const added = shapes.batch.parse(
        await documents().batchAdd({
          containerTag: "batch",
          metadata: { from: "batch", floor: 1 },
          documents: [
            { content: "The mill closes on Monday.", customId: "mill" },
            { content: "The bakery opens at six.", metadata: { floor: 2 } },
          ],
        }),
      );
      expect(added).toMatchObject({ success: 2, failed: 0, results: [{ status: "queued" }, { status: "queued" }] });
      const { memories } = await listOf("batch");
      expect(memories.map(({ id }) => id).toSorted()).toEqual(idsOf(added).toSorted());
      expect(memories.find(({ customId }) => customId === "mill")?.metadata).toEqual({ from: "batch", floor: 1 });
      expect(memories.find(({ customId }) => customId === null)?.metadata).toEqual({ from: "batch", floor: 2 });
    });

    tries("documents.batchAdd", "accepts plain texts, and refuses an empty batch", async () => {
      const added = await documents().batchAdd({
        documents: ["Rain on Tuesday.", "Sun on Friday."],
        containerTag: "texts",
      });
      expect(added).toMatchObject({ success: 2, failed: 0 });
      await sdk().expectRefusal(() => documents().batchAdd({ documents: [] as string[] }), "BadRequestError");
    });

    tries("documents.listProcessing", "lists documents still being processed", async () => {
      const { id } = await sdk().client.add({ content: "In the works.", containerTag: "busy" });
      const processing = shapes.processing.parse(await documents().listProcessing());
      expect(processing.totalCount).toBe(processing.documents.length);
      expect(processing.documents.map((document) => document.id)).toContain(id);
      expect(processing.documents.map(({ status }) => status)).not.toContain("done");
      await sdk().settle();
      expect((await documents().listProcessing()).documents.map((document) => document.id)).not.toContain(id);
    });

    tries("documents.deleteBulk", "deletes by ids, and names unknown ones", async () => {
      const ids = (await listOf("batch")).memories.map(({ id }) => id);
      const deleted = shapes.bulkDeletion.parse(await documents().deleteBulk({ ids: [...ids, "nobody"] }));
      expect(deleted).toMatchObject({ deletedCount: 2, success: false });
      expect((await documents().deleteBulk({ ids: ["mill"] })).errors).toEqual([
        { id: "mill", error: expect.stringMatching(/not found/i) },
      ]);
    });

    tries("documents.deleteBulk", "deletes by tag, and by a folder in it", async () => {
      await documents().batchAdd({
        containerTag: "folders",
        documents: [
          { content: "One.", filepath: "/a/one.md" },
          { content: "Two.", filepath: "/a/b/two.md" },
          { content: "Three.", filepath: "/c/three.md" },
        ],
      });
      expect(await documents().deleteBulk({ containerTags: ["folders"], filepath: "/a/" })).toMatchObject({
        deletedCount: 2,
        success: true,
        containerTags: ["folders"],
      });
      expect((await listOf("folders")).memories).toMatchObject([{ filepath: "/c/three.md" }]);
      expect(await documents().deleteBulk({ containerTags: ["folders"] })).toMatchObject({
        deletedCount: 1,
        success: true,
      });
    });

    tries("documents.deleteBulk", "refuses a deletion without any selector", async () => {
      const refusal = await sdk().expectRefusal(() => documents().deleteBulk({}), "BadRequestError");
      expect(refusal.message).toMatch(/ids.*containerTags/);
    });
  });

  async function listOf(tag: string): Promise<Supermemory.DocumentListResponse> {
    return documents().list({ containerTags: [tag] });
  }
}
