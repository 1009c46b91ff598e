import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ListedAuditEntry, Page } from "../../src/core/index.js";
import { parseAnswer, runCommand } from "../support/command-line.js";

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "recollect-cli-"));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const run = (...argv: string[]) => runCommand(data, argv);
const audit = async (...argv: string[]): Promise<readonly ListedAuditEntry[]> =>
  (parseAnswer(await run("audit", "--json", ...argv)) as Page<ListedAuditEntry>).items;

test("recollect audit lists the newest entries first, and filters them", async () => {
  await run("add", "Hello", "--text", "--container", "mia", "--no-wait");
  await run("keys", "create", "--name", "laptop");
  expect((await audit()).map(({ action, actor, face }) => [action, actor, face])).toEqual([
    ["createKey", "local", "cli"],
    ["addDocument", "local", "cli"],
  ]);
  expect(await audit("--action", "createKey")).toHaveLength(1);
  expect(await audit("--container", "mia", "--since", "1h")).toMatchObject([{ action: "addDocument" }]);
  expect(await audit("--since", "2100-01-01")).toEqual([]);
  expect(await audit("--refused")).toEqual([]);
  const { code, stdout } = await run("audit", "--limit", "1", "--container", "mia");
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}local {2}addDocument {2}ok {2}mia {2}[\w,]{22,} {2}cli\n$/,
  );
});

test("a day given with --since is in the time zone in which entries are shown", async () => {
  await run("add", "Hello", "--text", "--no-wait");
  for (const timeZone of ["Etc/GMT+12", "Pacific/Kiritimati"]) {
    const inZone = (...argv: string[]) => runCommand(data, ["audit", ...argv], { io: { timeZone } });
    const [day = ""] = (await inZone()).stdout.split(" ");
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    expect((await inZone("--since", day)).stdout).toContain("addDocument");
    expect((await inZone("--since", next)).stdout).toContain("There are no such entries");
  }
});

test("recollect audit says when nothing matches, and rejects invalid options", async () => {
  expect((await run("audit")).stdout).toBe("There are no such entries. Entries are kept for a year.\n");
  expect((await run("audit", "--since", "soon")).code).toBe(2);
  expect(await run("audit", "--limit", "0")).toMatchObject({ code: 2, stderr: expect.stringContaining("limit") });
});

test("recollect status lists keys that expire soon, and not one that expires in 20 days", async () => {
  await run("keys", "create", "--name", "old", "--expires", "20");
  expect(parseAnswer(await run("status", "--json"))).toMatchObject({ expiringKeys: [] });
  await run("keys", "create", "--name", "older", "--expires", "2");
  expect(parseAnswer(await run("status", "--json"))).toMatchObject({ expiringKeys: [{ name: "older" }] });
});
