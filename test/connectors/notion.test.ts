import { expect, test } from "vitest";
import { useCleanups } from "../support/cleanups.js";
import { connect, type Connected, lastRun } from "../support/connection.js";
import { NOTION_TOKEN, type ScriptedNotion, startNotion } from "../support/scripted-notion.js";

const cleanups = useCleanups();

async function start(pageSize?: number): Promise<ScriptedNotion> {
  const notion = await startNotion(pageSize);
  cleanups.push(() => notion.close());
  return notion;
}

async function connectTo({ url }: ScriptedNotion, token = NOTION_TOKEN): Promise<Connected> {
  const settings = { RECOLLECT_PROVIDER_URLS: `notion=${url}` };
  const connected = await connect({ provider: "notion", metadata: { token }, settings });
  cleanups.push(() => connected.close());
  return connected;
}

test("pages are imported as Markdown, rows of databases with their fields, long pages whole", async () => {
  const notion = await start(2);
  notion.putPage("p1", "Trees", "Forty pear trees stand behind the house.");
  notion.putPage("p2", "Well", "The well was dug by hand.", {
    fields: {
      Depth: { type: "number", number: 30 },
      State: { type: "select", select: { name: "in use" } },
      Dug: { type: "date", date: { start: "1911-05-01", end: null } },
      Tags: { type: "multi_select", multi_select: [{ name: "water" }, { name: "old" }] },
    },
  });
  notion.putPage("p3", "Long", "It begins here.");
  notion.pages.get("p3")?.parts.set("block-1", "It goes on, and ends with the harvest.");
  const connected = await connectTo(notion);
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", read: 3 });
  const texts = await connected.texts();
  expect(texts["Trees"]).toContain("Forty pear trees");
  expect(texts["Well"]).toMatch(/Depth: 30[^]+State: in use[^]+Dug: 1911-05-01[^]+Tags: water, old/);
  expect(texts["Long"]).toContain("ends with the harvest");
  const { documents } = await connected.core.listDocuments({ actor: connected.actor }, { limit: 10 });
  expect(documents.map(({ type }) => type)).toEqual(["notion_doc", "notion_doc", "notion_doc"]);
  expect(await connected.core.findConnection({ actor: connected.actor }, { id: connected.id })).toMatchObject({
    account: "Farm",
  });
});

test("only edits are read; a binned page is removed at once, one that the search omits after two runs", async () => {
  const notion = await start();
  for (const id of ["a", "b", "c", "d"]) notion.putPage(id, `Page ${id}`, `The text of ${id} as it was.`);
  const connected = await connectTo(notion);
  await notion.edit("a", "The text of a as it is now.");
  const binned = notion.pages.get("b");
  if (binned) binned.isInTrash = true;
  notion.pages.delete("c");
  const before = notion.requests();
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, unchanged: 1, removed: 1 });
  // A search for pages, one for databases, and the page's Markdown.
  expect(notion.requests() - before).toBe(3);
  expect(Object.keys(await connected.texts()).toSorted()).toEqual(["Page a", "Page c", "Page d"]);
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0, removed: 1 });
  expect((await connected.texts())["Page a"]).toContain("as it is now");
});

test("a wrong token is refused, and one revoked later requires a new one", async () => {
  const notion = await start();
  notion.putPage("a", "Page", "A text.");
  await expect(connectTo(notion, "ntn_wrong")).rejects.toThrow(/sign-in/);
  const connected = await connectTo(notion);
  notion.fail({ kind: "status", status: 401 }, 1);
  expect(await connected.sync()).toMatchObject({ status: "failed" });
  const { core, actor, id } = connected;
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "reconnect" });
});

test("429 during a listing is waited for, and nothing is removed or read twice", async () => {
  const notion = await start(2);
  for (let index = 0; index < 6; index += 1) notion.putPage(`n${index}`, `Page ${index}`, `Text ${index}.`);
  const connected = await connectTo(notion);
  await notion.edit("n5", "Another text.");
  notion.fail({ kind: "status", status: 429, retryAfter: 1 }, 1);
  await connected.core.syncOneConnection({ actor: connected.actor }, { id: connected.id });
  await expect
    .poll(async () => (await connected.settle(), lastRun(connected, connected.id)), { timeout: 15_000 })
    .toMatchObject({ status: "done", read: 1, removed: 0 });
});
