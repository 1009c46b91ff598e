import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGoogleDriveConnector } from "../../src/connectors/google/drive/google-drive.js";
import { SignInRefused } from "../../src/core/connections/connector-errors.js";
import type { Resource, SourceAccess } from "../../src/core/ports.js";
import { mirrorSource } from "../support/mirrored-source.js";
import {
  FOLDER,
  forbidden,
  type ScriptedGoogleDrive,
  startScriptedGoogleDrive,
} from "../support/scripted-google-drive.js";
import { sourceAccess } from "../support/source-access.js";

const DOC = "application/vnd.google-apps.document";
let drive: ScriptedGoogleDrive;

beforeEach(async () => {
  drive = await startScriptedGoogleDrive("good");
});
afterEach(async () => {
  await drive.close();
});

const connector = () => createGoogleDriveConnector({ baseUrl: drive.url });

function access(
  resources: readonly Resource[] | null,
  options: { known?: SourceAccess["known"]; token?: string } = {},
) {
  const metadata = { syncScope: resources === null ? "full" : "selected" };
  return sourceAccess(connector(), {
    metadata,
    resources: resources ?? [],
    token: "good",
    maximumBytes: 20_000_000,
    ...options,
  });
}

const mirror = (resources: readonly Resource[] | null = null) =>
  mirrorSource(connector(), (known) => access(resources, { known }));

const folder = (name: string, parent?: string) =>
  drive.put(name, "", { mimeType: FOLDER, ...(parent !== undefined && { parent }) });

test("everything is listed page by page, with folders as paths, and nothing is read twice", async () => {
  const outer = await folder("outer");
  const inner = await folder("inner", outer);
  await drive.put("a.txt", "one");
  await drive.put("b.txt", "two", { parent: outer });
  await drive.put("c.txt", "three", { parent: inner });
  const source = mirror();
  await source.sync();
  expect(source.texts()).toEqual({ "a.txt": "one", "b.txt": "two", "c.txt": "three" });
  expect([...source.documents.values()].map(({ item }) => item.path)).toEqual([
    "a.txt",
    "outer/b.txt",
    "outer/inner/c.txt",
  ]);
  expect(source.pages.map(({ isFirst }) => isFirst).indexOf(true, 1)).toBe(-1);
  expect(source.pages.at(-1)).toMatchObject({ kind: "listing", isLast: true });
  await source.sync();
  expect(source.reads).toHaveLength(3);
  expect(source.pages.at(-1)).toMatchObject({ kind: "changes", isLast: true, items: [] });
});

test("edits, renames, deletions and restores are followed", async () => {
  const [kept, gone] = [await drive.put("kept.txt", "old"), await drive.put("gone.txt", "bye")];
  const source = mirror();
  await source.sync();
  await drive.edit(kept, "new");
  await drive.rename(kept, "renamed.txt");
  await drive.remove(gone);
  await source.sync();
  expect(source.texts()).toEqual({ "renamed.txt": "new" });
  await drive.restore(gone);
  await source.sync();
  expect(source.texts()).toEqual({ "renamed.txt": "new", "gone.txt": "bye" });
});

test("a run that ends after every page resumes where it stopped", async () => {
  for (let count = 0; count < 7; count += 1) await drive.put(`${count}.txt`, `text ${count}`);
  const source = mirror();
  let runs = 1;
  while (!(await source.sync({ stopAfter: 1 }))) runs += 1;
  expect(runs).toBeGreaterThan(3);
  expect(Object.keys(source.texts())).toHaveLength(7);
  for (let count = 1; count <= 7; count += 1) await drive.edit(`file-${count}`, `again ${count}`);
  while (!(await source.sync({ stopAfter: 1 })));
  expect(Object.values(source.texts())).toEqual([1, 2, 3, 4, 5, 6, 7].map((count) => `again ${count}`));
  expect(source.reads).toHaveLength(14);
});

describe("chosen folders and files", () => {
  test("everything below a chosen folder is included, and nothing else", async () => {
    const outer = await folder("outer");
    const inner = await folder("inner", outer);
    await drive.put("in.txt", "in", { parent: inner });
    await drive.put("out.txt", "out");
    const alone = await drive.put("alone.txt", "alone");
    const source = mirror([
      { id: outer, name: "outer" },
      { id: alone, name: "alone.txt" },
    ]);
    await source.sync();
    expect(source.texts()).toEqual({ "alone.txt": "alone", "in.txt": "in" });
    await drive.put("later.txt", "later", { parent: inner });
    await drive.put("out2.txt", "out");
    await drive.edit(alone, "edited");
    await source.sync();
    expect(source.texts()).toEqual({ "alone.txt": "edited", "in.txt": "in", "later.txt": "later" });
  });

  test("a file that moves out is removed, and one that moves in is imported", async () => {
    const chosen = await folder("chosen");
    const other = await folder("other");
    const [leaving, coming] = [
      await drive.put("leaving.txt", "1", { parent: chosen }),
      await drive.put("coming.txt", "2", { parent: other }),
    ];
    const source = mirror([{ id: chosen, name: "chosen" }]);
    await source.sync();
    await drive.move(leaving, other);
    await drive.move(coming, chosen);
    await source.sync();
    expect(source.texts()).toEqual({ "coming.txt": "2" });
  });

  test("a folder that moves takes its contents along, at any depth", async () => {
    const chosen = await folder("chosen");
    const other = await folder("other");
    const leaving = await folder("leaving", chosen);
    const deep = await folder("deep", leaving);
    for (const name of ["1", "2", "3"]) await drive.put(name, name, { parent: deep });
    const coming = await folder("coming", other);
    const low = await drive.put("4", "4", { parent: await folder("low", coming) });
    const source = mirror([{ id: chosen, name: "chosen" }]);
    await source.sync();
    expect(Object.keys(source.texts())).toEqual(["1", "2", "3"]);
    await drive.move(leaving, other);
    await drive.move(coming, chosen);
    await source.sync();
    expect(source.texts()).toEqual({ 4: "4" });
    expect(source.documents.get(low)?.item.path).toBe("chosen/coming/low/4");
  });

  test("a binned folder takes its files along, and restores them with it", async () => {
    const chosen = await folder("chosen");
    const inner = await folder("inner", chosen);
    await drive.put("a", "a", { parent: inner });
    const source = mirror([{ id: chosen, name: "chosen" }]);
    await source.sync();
    await drive.remove(inner);
    await source.sync();
    expect(source.texts()).toEqual({});
    await drive.restore(inner);
    await source.sync();
    expect(source.texts()).toEqual({ a: "a" });
  });

  test("chosen resources that are missing are named by every run until they return", async () => {
    const id = await folder("plans");
    await drive.put("a.txt", "one", { parent: id });
    const chosen = [
      { id, name: "plans" },
      { id: "never-there", name: "drafts" },
    ];
    const source = mirror(chosen);
    const missing = async () => {
      await source.sync();
      return source.pages.at(-1)?.missing ?? [];
    };
    expect(await missing()).toEqual(["drafts"]);
    expect(source.texts()).toEqual({ "a.txt": "one" });
    await drive.remove(id);
    expect(await missing()).toEqual(["drafts", "plans"]);
    expect(await missing()).toEqual(["drafts", "plans"]);
    await drive.restore(id);
    expect(await missing()).toEqual(["drafts"]);
    expect(source.texts()).toEqual({ "a.txt": "one" });
  });

  test("without a selection nothing is listed, and the message says what to do", async () => {
    await expect(mirror([]).sync()).rejects.toThrow(/Choose some, or create a connection with syncScope/);
    expect(connector().needsSelection?.({ syncScope: "selected" })).toBe(true);
    expect(connector().needsSelection?.({ syncScope: "full" })).toBe(false);
  });

  test("a changed selection lists everything again", async () => {
    const [one, two] = [await folder("one"), await folder("two")];
    await drive.put("1", "1", { parent: one });
    await drive.put("2", "2", { parent: two });
    const resources = [{ id: one, name: "one" }];
    const source = mirror(resources);
    await source.sync();
    resources.push({ id: two, name: "two" });
    await source.sync();
    expect(source.texts()).toEqual({ 1: "1", 2: "2" });
    expect(source.reads).toHaveLength(2);
  });

  test("folders and files are offered for selection level by level and page by page", async () => {
    const shared = drive.addDrive("Team");
    const outer = await folder("outer");
    await drive.put("deep.txt", "x", { parent: outer });
    await drive.put("team.txt", "x", { parent: shared });
    const list = async (parentId: string | null, page = 1, perPage = 30) =>
      (await connector().listResources?.(access([]), { page, perPage, parentId }))?.resources.map(({ name }) => name);
    expect(await list(null)).toEqual(["Team", "outer"]);
    expect(await list(null, 2, 1)).toEqual(["outer"]);
    expect(await list(outer)).toEqual(["deep.txt"]);
    expect(await list(shared)).toEqual(["team.txt"]);
    await expect(list("x' or 'y")).rejects.toThrow(/must be the id of a Google Drive folder/);
    expect(connector().resourceSchema?.safeParse({ id: "x' in parents", name: "x" }).success).toBe(false);
  });
});

describe("shared drives", () => {
  test("each has its own listing and feed; a new one is listed as soon as it appears", async () => {
    const team = drive.addDrive("Team");
    const note = await drive.put("note.txt", "team", { parent: team });
    const source = mirror();
    await source.sync();
    expect(source.texts()).toEqual({ "note.txt": "team" });
    expect(source.documents.get(note)?.item.path).toBe("Team/note.txt");
    await drive.edit(note, "edited");
    await source.sync();
    expect(source.texts()).toEqual({ "note.txt": "edited" });
    const second = drive.addDrive("Second");
    await drive.put("second.txt", "2", { parent: second });
    await source.sync();
    expect(source.texts()).toEqual({ "note.txt": "edited", "second.txt": "2" });
    expect(source.reads).toHaveLength(3);
  });

  test.each(["into", "out of"])("a file that moves %s a shared drive stays, and is not read again", async (way) => {
    const team = drive.addDrive("Team");
    const mine = await folder("mine");
    const [from, to] = way === "into" ? [mine, team] : [team, mine];
    const note = await drive.put("note.txt", "text", { parent: from });
    const source = mirror();
    await source.sync();
    await drive.move(note, to);
    await source.sync();
    expect(source.texts()).toEqual({ "note.txt": "text" });
    expect(source.reads).toEqual([note]);
  });
});

describe("reading", () => {
  test.each([
    ["document", "google_doc", "text/markdown", "Plan.md"],
    ["spreadsheet", "google_sheet", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "Plan.xlsx"],
    ["presentation", "google_slide", "text/plain", "Plan.txt"],
  ])("a %s is exported", async (kind, type, mimeType, fileName) => {
    const id = await drive.put("Plan", "# Plan", { mimeType: `application/vnd.google-apps.${kind}` });
    const source = mirror();
    await source.sync();
    expect(source.texts()).toEqual({ Plan: "# Plan" });
    expect(source.documents.get(id)?.content).toMatchObject({ type, mimeType, fileName, title: "Plan" });
  });

  test("pictures in exported Markdown are removed, and their alternative texts stay", async () => {
    await drive.put("Doc", "Text ![a chart][image1] more\n\n[image1]: <data:image/png;base64,AAAA>\n", {
      mimeType: DOC,
    });
    const source = mirror();
    await source.sync();
    expect(source.texts()).toEqual({ Doc: "Text a chart more" });
  });

  test("files that Google does not provide are skipped with a reason, and the others are read", async () => {
    const big = await drive.put("Big", "x".repeat(10_000_001), { mimeType: DOC });
    const form = await drive.put("Form", "", { mimeType: "application/vnd.google-apps.form" });
    const huge = await drive.put("huge.bin", "y".repeat(20_000_001));
    const shut = await drive.put("shut.txt", "shut");
    await drive.put("fine.txt", "fine");
    drive.fail({ kind: "status", path: new RegExp(shut), ...forbidden("cannotDownloadFile") } as never);
    const source = mirror();
    await source.sync();
    expect(source.texts()).toEqual({ "fine.txt": "fine" });
    expect(source.skipped.get(big)).toMatch(/10 MB/);
    expect(source.skipped.get(form)).toMatch(/does not export files of type “form”/);
    expect(source.skipped.get(huge)).toMatch(/more than 20000000/);
    expect(source.skipped.get(shut)).toMatch(/owner does not allow/);
  });
});

test("deleted files are removed", async () => {
  const id = await drive.put("a", "a");
  const source = mirror();
  await source.sync();
  await drive.lose(id);
  await source.sync();
  expect(source.documents.size).toBe(0);
});

test("a partial listing removes nothing that was not seen", async () => {
  await drive.put("a", "a");
  drive.leaveOut();
  const source = mirror();
  await source.sync();
  expect(source.pages.at(-1)?.cutShort).toMatch(/did not search all drives/);
});

test("files added during the first listing are included", async () => {
  for (const name of ["a", "b", "c"]) await drive.put(name, name);
  const source = mirror();
  await source.sync({ stopAfter: 2 });
  await drive.put("late", "late");
  await drive.remove("file-1");
  while (!(await source.sync()));
  await source.sync();
  expect(Object.keys(source.texts()).sort()).toEqual(["b", "c", "late"]);
});

test("an expired token lists everything again, and finds deletions in between", async () => {
  const [gone] = [await drive.put("gone", "1"), await drive.put("kept", "2")];
  const source = mirror();
  await source.sync();
  await drive.lose(gone);
  drive.expire();
  await source.sync();
  expect(source.texts()).toEqual({ kept: "2" });
  expect(source.reads).toHaveLength(2);
  await source.sync();
  expect(source.pages.at(-1)?.kind).toBe("changes");
});

test("lost access to a folder removes everything in it", async () => {
  const outer = await folder("outer");
  await drive.put("a", "a", { parent: outer });
  await drive.put("b", "b");
  const source = mirror();
  await source.sync();
  await drive.lose(outer);
  await source.sync();
  expect(source.texts()).toEqual({ b: "b" });
});

test("shortcuts and folders are not files", async () => {
  await folder("outer");
  await drive.put("link", "", { mimeType: "application/vnd.google-apps.shortcut" });
  const source = mirror();
  await source.sync();
  expect(source.documents.size).toBe(0);
});

test("moves and renames read nothing again, and names may be equal", async () => {
  const outer = await folder("outer");
  const [doc, file] = [await drive.put("same", "doc", { mimeType: DOC }), await drive.put("same", "file")];
  const source = mirror();
  await source.sync();
  expect(source.documents.size).toBe(2);
  await drive.move(file, outer);
  await drive.move(doc, outer);
  await drive.rename(file, "new");
  await drive.rename(outer, "renamed");
  await source.sync();
  expect(source.documents.get(file)?.item).toMatchObject({ title: "new", path: "renamed/new" });
  expect(source.documents.get(doc)?.item.path).toBe("renamed/same");
  expect(source.reads).toHaveLength(2);
});

test("pages that form a loop end the run", async () => {
  await drive.put("a", "a");
  drive.loop();
  await expect(mirror().sync()).rejects.toThrow(/does not lead to a next page/);
});

describe("faults", () => {
  const run = () => mirror().sync();

  test.each([
    ["429", { kind: "status", status: 429, headers: { "retry-after": "7" } }, { kind: "rate_limited", retryAfter: 7 }],
    ["429 without Retry-After", { kind: "status", status: 429 }, { kind: "rate_limited" }],
    ["403 for too many requests", { kind: "status", ...forbidden("userRateLimitExceeded") }, { kind: "rate_limited" }],
    ["403 for an API not enabled", { kind: "status", ...forbidden("accessNotConfigured") }, { kind: "invalid" }],
    ["403 for a missing scope", { kind: "status", ...forbidden("insufficientPermissions") }, { kind: "unauthorized" }],
    ["500", { kind: "status", status: 500 }, { kind: "unavailable" }],
    ["a truncated response", { kind: "cut" }, { kind: "unavailable" }],
    ["a response that is not JSON", { kind: "garbage" }, { kind: "unavailable" }],
  ])("%s", async (_name, fault, error) => {
    await drive.put("a", "a");
    drive.fail({ ...fault, path: /\/files$/ } as never);
    await expect(run()).rejects.toMatchObject(error);
    expect(await run()).toBe(true);
  });

  test("a token refused during a run", async () => {
    await drive.put("a", "a");
    drive.fail({ kind: "status", status: 401, path: /files\/file-1$/ });
    await expect(run()).rejects.toBeInstanceOf(SignInRefused);
  });

  test("a slow response is waited for", async () => {
    drive.fail({ kind: "slow", ms: 200 });
    expect(await run()).toBe(true);
  });

  test("a file deleted before it is read", async () => {
    await drive.put("a", "a");
    drive.fail({ kind: "status", status: 404, path: /files\/file-1$/ });
    const source = mirror();
    await source.sync();
    expect(source.documents.size).toBe(0);
  });
});

test("the account is named, and a wrong key is refused without showing it", async () => {
  expect(await connector().check(access(null))).toEqual({ account: "owner@example.com" });
  await expect(connector().check(access(null, { token: "bad" }))).rejects.toBeInstanceOf(SignInRefused);
  const given = connector().fields.safeParse({ serviceAccountKey: '{"type":"secret-thing"}' });
  expect(given.error?.issues[0]?.message).toMatch(/must be the JSON key of a service account/);
  expect(JSON.stringify(given.error)).not.toContain("secret-thing");
});
