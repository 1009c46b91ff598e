import { describe, expect, test } from "vitest";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

/** Records of pictures in messages. */
export function messagePicturesContract(open: OpenStore): void {
  const at = useStore(open);
  const one = { digest: "one", bytes: Buffer.from("picture one"), address: null };
  const two = { digest: "two", bytes: null, address: "https://example.org/two.png" };
  const readAt = "2026-01-01T00:00:00.000Z";

  describe("pictures in messages", () => {
    test("are kept until they are read, and known afterwards", async () => {
      const { id } = await at.addDocument();
      const { messagePictures } = at.store;
      await messagePictures.add(at.organization, id, [one, two]);
      expect(await messagePictures.unread(at.organization, id)).toEqual(["one", "two"]);
      const found = await messagePictures.find(at.organization, id, "one");
      expect(Buffer.from(found?.bytes ?? []).toString()).toBe("picture one");
      expect(await messagePictures.find(at.organization, id, "two")).toEqual(two);
      await messagePictures.settle(at.organization, id, { digest: "one", readAt, note: "No text." });
      await messagePictures.settle(at.organization, id, { digest: "two", readAt, note: null });
      expect(await messagePictures.find(at.organization, id, "one")).toBeNull();
      expect(await messagePictures.unread(at.organization, id)).toEqual([]);
      expect(await messagePictures.digests(at.organization, id)).toEqual(new Set(["one", "two"]));
      expect(await messagePictures.notes(at.organization, id)).toEqual([{ readAt, note: "No text." }]);
      expect(await at.everything()).not.toContain("two.png");
    });

    test("are kept longer while they wait for a description", async () => {
      const { id } = await at.addDocument();
      const { messagePictures } = at.store;
      await messagePictures.add(at.organization, id, [one, two]);
      for (const { digest } of [one, two])
        await messagePictures.settle(at.organization, id, { digest, readAt, note: digest, isUndescribed: true });
      expect(await messagePictures.unread(at.organization, id)).toEqual([]);
      expect(await messagePictures.undescribed(at.organization, id)).toEqual([
        { digest: "one", note: "one" },
        { digest: "two", note: "two" },
      ]);
      expect(await messagePictures.undescribed(OTHER_ORGANIZATION, id)).toEqual([]);
      expect(await messagePictures.find(at.organization, id, "two")).toEqual(two);
      await messagePictures.settle(at.organization, id, { digest: "two", readAt, note: null });
      expect(await messagePictures.find(at.organization, id, "two")).toBeNull();
      expect((await messagePictures.undescribed(at.organization, id)).map(({ digest }) => digest)).toEqual(["one"]);
      expect(await at.everything()).not.toContain("two.png");
    });

    test("are dropped, read or not, when nothing shows them any more", async () => {
      const { id } = await at.addDocument();
      const { messagePictures } = at.store;
      await messagePictures.add(at.organization, id, [one, two]);
      await messagePictures.settle(at.organization, id, { digest: "one", readAt, note: "No text." });
      await messagePictures.keepOnly(OTHER_ORGANIZATION, id, new Set());
      await messagePictures.keepOnly(at.organization, id, new Set(["one"]));
      expect(await messagePictures.digests(at.organization, id)).toEqual(new Set(["one"]));
      expect(await at.everything()).not.toContain("two.png");
      await messagePictures.keepOnly(at.organization, id, new Set());
      expect(await messagePictures.notes(at.organization, id)).toEqual([]);
    });

    test("stay read when added again", async () => {
      const { id } = await at.addDocument();
      const { messagePictures } = at.store;
      await messagePictures.add(at.organization, id, [one]);
      await messagePictures.settle(at.organization, id, { digest: "one", readAt, note: null });
      await messagePictures.add(at.organization, id, [one]);
      expect(await messagePictures.unread(at.organization, id)).toEqual([]);
    });

    test("belong to the organisation, and are removed with the document", async () => {
      const { id } = await at.addDocument();
      const { messagePictures, documents } = at.store;
      await messagePictures.add(OTHER_ORGANIZATION, id, [two]);
      await messagePictures.add(at.organization, "nobody", [two]);
      expect(await at.everything()).not.toContain("two.png");
      await messagePictures.add(at.organization, id, [two]);
      expect(await messagePictures.unread(OTHER_ORGANIZATION, id)).toEqual([]);
      expect(await messagePictures.find(OTHER_ORGANIZATION, id, "two")).toBeNull();
      expect(await messagePictures.digests(OTHER_ORGANIZATION, id)).toEqual(new Set());
      await documents.remove(at.organization, id);
      expect(await at.everything()).not.toContain("two.png");
    });
  });
}
