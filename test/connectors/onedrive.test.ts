import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOneDriveConnector } from "../../src/connectors/onedrive/onedrive.js";
import { SignInRefused } from "../../src/core/connections/connector-errors.js";
import type { SourceAccess } from "../../src/core/ports.js";
import { mirrorSource } from "../support/mirrored-source.js";
import { type ScriptedOneDrive, startScriptedOneDrive } from "../support/scripted-onedrive.js";
import { sourceAccess } from "../support/source-access.js";

let drive: ScriptedOneDrive;

beforeEach(async () => {
  drive = await startScriptedOneDrive("good");
});
afterEach(async () => {
  await drive.close();
});

const connector = () => createOneDriveConnector({ baseUrl: drive.url });
const access = (known?: SourceAccess["known"], token = "good") =>
  sourceAccess(connector(), { token, maximumBytes: 1_000_000, ...(known && { known }) });
const mirror = () => mirrorSource(connector(), (known) => access(known));
const folder = (name: string, parent?: string) =>
  drive.put(name, "", { isFolder: true, ...(parent !== undefined && { parent }) });

test("everything is listed with its path and type, and nothing is read twice", async () => {
  const outer = await folder("outer");
  const inner = await folder("inner", outer);
  const deep = await drive.put("deep.txt", "deep", { parent: inner });
  await drive.put("top.txt", "top");
  const source = mirror();
  await source.sync();
  expect(source.texts()).toEqual({ "deep.txt": "deep", "top.txt": "top" });
  expect(source.documents.get(deep)).toMatchObject({
    item: { path: "outer/inner/deep.txt", address: `https://onedrive.example/${deep}` },
    content: { type: "onedrive", mimeType: "text/plain", fileName: "deep.txt", changedAt: expect.any(String) },
  });
  expect(source.pages.filter(({ isFirst }) => isFirst)).toHaveLength(1);
  await source.sync();
  expect(source.reads).toHaveLength(2);
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
  for (let count = 1; count <= 7; count += 1) await drive.put(`${count}.txt`, `text ${count}`);
  const source = mirror();
  while (!(await source.sync({ stopAfter: 1 })));
  expect(Object.keys(source.texts())).toHaveLength(7);
  expect(source.pages.at(-1)).toMatchObject({ kind: "listing", isLast: true, items: [] });
  for (let count = 1; count <= 7; count += 1) await drive.edit(`item!${count}`, `again ${count}`);
  while (!(await source.sync({ stopAfter: 1 })));
  expect(Object.values(source.texts())).toEqual([1, 2, 3, 4, 5, 6, 7].map((count) => `again ${count}`));
  expect(source.reads).toHaveLength(14);
});

test("no token is sent to the host of the contents", async () => {
  await drive.put("a.txt", "a");
  const source = mirror();
  await source.sync();
  // The scripted host refuses every request with a token.
  expect(source.texts()).toEqual({ "a.txt": "a" });
});

test("a link to another server is not followed", async () => {
  await drive.put("a.txt", "a");
  drive.divert("http://127.0.0.1:9");
  const source = mirror();
  await expect(source.sync()).rejects.toThrow(/next page at another address/);
});

test("moving or renaming a folder changes the paths of its contents, and reads nothing", async () => {
  const [one, two] = [await folder("one"), await folder("two")];
  const inner = await folder("inner", one);
  const files = ["1", "2", "3"];
  for (const name of files) await drive.put(name, name, { parent: inner });
  const source = mirror();
  await source.sync();
  await drive.move(inner, two);
  await drive.rename(two, "new");
  await source.sync();
  expect([...source.documents.values()].map(({ item }) => item.path)).toEqual(files.map((name) => `new/inner/${name}`));
  expect(source.reads).toHaveLength(3);
});

test("deleted files are removed, also with a folder whose contents are not listed", async () => {
  const outer = await folder("outer");
  await drive.put("a", "a", { parent: await folder("inner", outer) });
  await drive.put("b", "b");
  const source = mirror();
  await source.sync();
  await drive.remove(outer);
  await source.sync();
  expect(source.texts()).toEqual({ b: "b" });
  await drive.restore(outer);
  await source.sync();
  expect(source.texts()).toEqual({ a: "a", b: "b" });
});

test("files added during the first listing are included", async () => {
  for (const name of ["a", "b", "c"]) await drive.put(name, name);
  const source = mirror();
  await source.sync({ stopAfter: 1 });
  await drive.put("late", "late");
  await drive.remove("item!1");
  await drive.edit("item!2", "edited");
  while (!(await source.sync()));
  await source.sync();
  expect(source.texts()).toEqual({ b: "edited", c: "c", late: "late" });
});

test("an expired link (410) lists everything again, and finds deletions in between", async () => {
  const gone = await drive.put("gone", "1");
  await drive.put("kept", "2");
  const source = mirror();
  await source.sync();
  await drive.remove(gone);
  drive.expire();
  await source.sync();
  expect(source.texts()).toEqual({ kept: "2" });
  expect(source.reads).toHaveLength(2);
  await source.sync();
  expect(source.pages.at(-1)?.kind).toBe("changes");
});

test("the last of several entries for the same item in a page wins", async () => {
  const id = await drive.put("a", "a");
  const source = mirror();
  await source.sync();
  await drive.remove(id);
  await drive.restore(id);
  await source.sync();
  expect(source.pages.at(-1)?.items).toHaveLength(2);
  expect(source.documents.size).toBe(1);
});

test.each([true, false])("moves and renames read nothing again (hashes: %s)", async (hasHashes) => {
  if (!hasHashes) drive.omitHashes();
  const outer = await folder("outer");
  const [one, two] = [await drive.put("same", "1"), await drive.put("same", "2")];
  const source = mirror();
  await source.sync();
  expect(source.documents.size).toBe(2);
  await drive.move(one, outer);
  await drive.rename(two, "new");
  await source.sync();
  expect(source.documents.get(one)?.item.path).toBe("outer/same");
  expect(source.documents.get(two)?.item.title).toBe("new");
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
    ["500", { kind: "status", status: 500 }, { kind: "unavailable" }],
    ["a truncated response", { kind: "cut" }, { kind: "unavailable" }],
    ["a response that is not JSON", { kind: "garbage" }, { kind: "unavailable" }],
  ])("%s", async (_name, fault, error) => {
    await drive.put("a", "a");
    drive.fail({ ...fault, path: /delta$/ } as never);
    await expect(run()).rejects.toMatchObject(error);
    expect(await run()).toBe(true);
  });

  test("a token refused during a run", async () => {
    await drive.put("a", "a");
    drive.fail({ kind: "status", status: 401, path: /content$/ });
    await expect(run()).rejects.toBeInstanceOf(SignInRefused);
  });

  test("inaccessible, harmful, deleted or oversized files do not end the run", async () => {
    const refuse = (code: string) => ({ kind: "status", status: 403, body: { error: { code } } }) as const;
    const [shut, bad, gone] = [await drive.put("shut", "1"), await drive.put("bad", "2"), await drive.put("gone", "3")];
    const large = await drive.put("large", "x".repeat(1_000_001));
    await drive.put("fine", "fine");
    drive.fail({ ...refuse("accessDenied"), path: new RegExp(`${encodeURIComponent(shut)}/content`) });
    drive.fail({ ...refuse("malwareDetected"), path: new RegExp(`${encodeURIComponent(bad)}/content`) });
    drive.fail({ kind: "status", status: 404, path: new RegExp(`${encodeURIComponent(gone)}/content`) });
    const source = mirror();
    await source.sync();
    expect(source.texts()).toEqual({ fine: "fine" });
    expect(source.skipped.get(bad)).toMatch(/harmful/);
    expect(source.skipped.get(large)).toMatch(/1000001 bytes/);
    expect(source.documents.has(shut) || source.documents.has(gone)).toBe(false);
  });

  test("a slow response is waited for", async () => {
    drive.fail({ kind: "slow", ms: 200 });
    expect(await run()).toBe(true);
  });
});

test("the account is named, a refused token is reported, and sign-in works without a public address", async () => {
  expect(await connector().check(access())).toEqual({ account: "owner@example.com" });
  await expect(connector().check(access(undefined, "bad"))).rejects.toBeInstanceOf(SignInRefused);
  expect(connector().signIn).toMatchObject({
    deviceUrl: "https://login.microsoftonline.com/common/oauth2/v2.0/devicecode",
    scopes: ["Files.Read", "offline_access"],
  });
});
