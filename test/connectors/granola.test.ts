import { expect, test } from "vitest";
import { CheckpointExpired, ItemGone } from "../../src/core/connections/connector-errors.js";
import { createGranolaConnector } from "../../src/connectors/granola.js";
import { useCleanups } from "../support/cleanups.js";
import { connect, type Connected, lastRun } from "../support/connection.js";
import { GRANOLA_KEY, type ScriptedGranola, startGranola } from "../support/scripted-granola.js";
import { itemsOf, pagesOf, sourceAccess } from "../support/source-access.js";

const cleanups = useCleanups();

async function start(): Promise<ScriptedGranola> {
  const source = await startGranola();
  cleanups.push(() => source.close());
  return source;
}

async function connectTo({ url }: ScriptedGranola, apiKey = GRANOLA_KEY): Promise<Connected> {
  const settings = { RECOLLECT_PROVIDER_URLS: `granola=${url}` };
  const connected = await connect({ provider: "granola", metadata: { apiKey }, settings });
  cleanups.push(() => connected.close());
  return connected;
}

test("a note is imported with its summary, participants and transcript", async () => {
  const source = await start();
  const id = await source.put("Budget of the mill", "- The roof costs **40,000** euros.");
  const connected = await connectTo(source);
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", read: 1 });
  const { documents } = await connected.core.listDocuments(
    { actor: connected.actor },
    { limit: 10, includeContent: true },
  );
  expect(documents).toMatchObject([
    {
      customId: id,
      title: "Budget of the mill",
      type: "granola",
      metadata: {
        attendees: ["Mia Berg <mia@example.com>", "tom@example.com"],
        meetingStart: "2026-03-01T07:30:00.000Z",
        owner: "Mia Berg <mia@example.com>",
        folders: ["Planning"],
      },
    },
  ]);
  expect(documents[0]?.content).toContain("40,000");
  expect(documents[0]?.content).toContain("**Me:** Shall we begin? I have the figures.\n\n**Others:** Yes, please.");
});

test("notes are imported page by page; a second run reads only edits, and removes deleted notes", async () => {
  const source = await start();
  const ids: string[] = [];
  for (let index = 0; index < 65; index += 1)
    ids.push(await source.put(`Meeting ${index}`, `Point ${index} was agreed.`));
  const connected = await connectTo(source);
  expect(await lastRun(connected, connected.id)).toMatchObject({ listed: 65, read: 65 });
  expect(source.asked.filter((one) => one.startsWith("/v1/notes?page_size=30"))).toHaveLength(3);
  await source.edit(ids[7] ?? "", "Point 7 was thrown out again.");
  await source.remove(ids[9] ?? "");
  const before = source.requests();
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, unchanged: 63, removed: 1 });
  expect(source.requests() - before).toBe(4);
  expect((await connected.texts())["Meeting 7"]).toContain("thrown out");
});

test("a note that the key may no longer read is not considered deleted", async () => {
  const source = await start();
  const id = await source.put("Budget of the mill", "- The roof costs **40,000** euros.");
  const connected = await connectTo(source);
  await source.edit(id, "- The roof costs **50,000** euros.");
  source.fail({ kind: "pass" }, 1);
  source.fail({ kind: "status", status: 403 }, 1);
  expect(await connected.sync()).toMatchObject({ removed: 0 });
  expect(Object.keys(await connected.texts())).toEqual(["Budget of the mill"]);
});

test("it is synced only manually", async () => {
  const connected = await connectTo(await start());
  const connection = await connected.core.findConnection({ actor: connected.actor }, { id: connected.id });
  expect(connection).toMatchObject({ everyMinutes: null, nextSyncAt: null });
});

test("an invalid key is refused with the provider's message, without the key", async () => {
  const source = await start();
  const refused = connectTo(source, "grn_wrong-key");
  await expect(refused).rejects.toMatchObject({
    kind: "invalid",
    message: "Granola does not accept this API key (status 401). Granola says: The key … is not valid",
  });
});

test("a key revoked later requires signing in again, and all documents stay", async () => {
  const source = await start();
  await source.put("Kept", "This stays where it is.");
  const connected = await connectTo(source);
  source.fail({ kind: "status", status: 401 }, 20);
  expect(await connected.sync()).toMatchObject({ status: "failed", removed: 0 });
  expect(Object.keys(await connected.texts())).toEqual(["Kept"]);
});

test("a note that cannot be read fails alone, is reported, and is imported later", async () => {
  const source = await start();
  for (const name of ["One", "Two", "Three"]) await source.put(name, `${name} was said.`);
  const id = await source.put("Four", "Four was said.");
  source.broken.add(id);
  const connected = await connectTo(source);
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "partial", read: 3, failed: 1 });
  expect(run.failures).toMatchObject([{ itemId: id, reason: expect.stringContaining("500") }]);
  source.broken.clear();
  await source.edit(id, "Four was said after all.");
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, failed: 0, removed: 0 });
});

test("a note that the key can no longer access is removed, whatever the list says", async () => {
  const source = await start();
  const id = await source.put("One", "One was said.");
  const connector = createGranolaConnector({ apiUrl: source.url });
  const access = sourceAccess(connector, { metadata: { apiKey: GRANOLA_KEY } });
  const change = itemsOf(await pagesOf(connector, access)).get(id);
  await source.remove(id);
  if (!change) throw new Error("The note was not listed.");
  await expect(connector.read(access, change.item)).rejects.toBeInstanceOf(ItemGone);
});

test("an interrupted listing resumes after its last page, and starts over when its cursor has expired", async () => {
  const source = await start();
  for (let index = 0; index < 65; index += 1) await source.put(`Meeting ${index}`, `Point ${index} was agreed.`);
  const connector = createGranolaConnector({ apiUrl: source.url });
  const access = sourceAccess(connector, { metadata: { apiKey: GRANOLA_KEY } });
  const pages = await pagesOf(connector, access, { stops: true });
  expect(pages.map(({ isFirst, isLast }) => [isFirst, isLast])).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
  expect(itemsOf(pages).size).toBe(65);
  expect(pages.at(-1)?.checkpoint).toBe(null);
  await expect(pagesOf(connector, access, { checkpoint: { cursor: "expired" } })).rejects.toBeInstanceOf(
    CheckpointExpired,
  );
});

test.each([1, 2, 3])("pages in a loop of %i end the run and remove nothing", async (length) => {
  const source = await start();
  for (let index = 0; index < 35; index += 1) await source.put(`Meeting ${index}`, `Point ${index} was agreed.`);
  const connector = createGranolaConnector({ apiUrl: source.url });
  const access = sourceAccess(connector, { metadata: { apiKey: GRANOLA_KEY } });
  source.loop(length);
  await expect(pagesOf(connector, access)).rejects.toMatchObject({
    kind: "unavailable",
    message: "Granola does not lead to a next page.",
  });
  expect(source.requests()).toBe(length + 1);
});

test("a rate limit is respected for as long as it says", async () => {
  const source = await start();
  await source.put("One", "One was said.");
  const connector = createGranolaConnector({ apiUrl: source.url });
  const access = sourceAccess(connector, { metadata: { apiKey: GRANOLA_KEY } });
  source.fail({ kind: "status", status: 429, retryAfter: 7 }, 1);
  await expect(pagesOf(connector, access)).rejects.toMatchObject({
    kind: "rate_limited",
    retryAfter: 7,
  });
  expect(source.requests()).toBe(1);
});
