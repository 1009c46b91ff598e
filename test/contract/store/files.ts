import { expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.js";
import { useStore, type OpenStore } from "./fixture.js";

export function filesContract(open: OpenStore): void {
  const opened = useStore(open);
  const add = async (documentId: string, values: { key?: string; name?: string | null } = {}) => {
    const key = values.key ?? createId();
    const name = values.name === undefined ? "notes.md" : values.name;
    await opened.store.files.insert(opened.organization, {
      key,
      documentId,
      name,
      mimeType: "text/markdown",
      bytes: 12,
    });
    return key;
  };
  const addNamed = async () => {
    const key = createId();
    const { id } = await opened.addDocument({ url: `/files/${key}` });
    await add(id, { key });
    return { id, key };
  };

  test("a file is found by its key and by its document", async () => {
    const { id, key } = await addNamed();
    const file = {
      key,
      documentId: id,
      name: "notes.md",
      mimeType: "text/markdown",
      bytes: 12,
      createdAt: opened.clock.now().toISOString(),
    };
    expect(await opened.store.files.byKey(opened.organization, key)).toEqual(file);
    expect(await opened.store.files.ofDocument(opened.organization, id)).toEqual([file]);
  });

  test("another organisation sees none of it", async () => {
    const { id, key } = await addNamed();
    const { files } = opened.store;
    expect(await files.byKey("other", key)).toBeNull();
    expect(await files.ofDocument("other", id)).toEqual([]);
    expect(await files.knownKeys("other", [key])).toEqual(new Set());
    await opened.store.documents.update(opened.organization, id, { url: null });
    expect(await files.dropUnnamed("other", 10)).toEqual([]);
  });

  test("the secret for links stays the same, and differs between organisations", async () => {
    const { files } = opened.store;
    const secret = await files.linkSecret(opened.organization);
    expect(secret.length).toBeGreaterThanOrEqual(43);
    expect(await files.linkSecret(opened.organization)).toBe(secret);
    expect(await files.linkSecret("other")).not.toBe(secret);
  });

  test("a file may have no name", async () => {
    const { id } = await opened.addDocument();
    await add(id, { name: null });
    expect(await opened.store.files.ofDocument(opened.organization, id)).toMatchObject([{ name: null }]);
  });

  test("only the file that its document names counts", async () => {
    const { id, key } = await addNamed();
    const older = await add(id);
    const { files } = opened.store;
    expect(await files.byKey(opened.organization, older)).toBeNull();
    expect(await files.ofDocument(opened.organization, id)).toHaveLength(2);
    expect(await files.dropUnnamed(opened.organization, 10)).toEqual([older]);
    expect(await files.dropUnnamed(opened.organization, 10)).toEqual([]);
    expect(await files.byKey(opened.organization, key)).not.toBeNull();
  });

  test("files that no document names are dropped, limited in number", async () => {
    const { id } = await opened.addDocument();
    const keys = new Set([await add(id), await add(id), await add(id)]);
    const first = await opened.store.files.dropUnnamed(opened.organization, 2);
    const rest = await opened.store.files.dropUnnamed(opened.organization, 2);
    expect([first.length, rest.length]).toEqual([2, 1]);
    expect(new Set([...first, ...rest])).toEqual(keys);
  });

  test("files are removed with their document", async () => {
    const { id, key } = await addNamed();
    await opened.store.documents.remove(opened.organization, id);
    expect(await opened.store.files.ofDocument(opened.organization, id)).toEqual([]);
    expect(await opened.store.files.knownKeys(opened.organization, [key])).toEqual(new Set());
    expect(await opened.everything()).not.toContain(key);
  });

  test("returns which of many keys are known", async () => {
    const { key } = await addNamed();
    const unknown = Array.from({ length: 3_000 }, createId);
    expect(await opened.store.files.knownKeys(opened.organization, [...unknown, key])).toEqual(new Set([key]));
    expect(await opened.store.files.knownKeys(opened.organization, [])).toEqual(new Set());
  });
}
