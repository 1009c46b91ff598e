import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createConnectors } from "../../src/connectors/index.js";
import type { Connector } from "../../src/core/ports.js";
import { PROVIDERS } from "../../src/core/index.js";
import { NEEDED_FIELDS } from "../../src/transports/cli/commands/connection-fields.js";
import { type CommandResult, parseAnswer, runCommand } from "../support/command-line.js";
import { ONLINE } from "../support/connection.js";
import { openCore } from "../support/open-core.js";
import { type ExampleSource, startExampleSource } from "../support/scripted-source.js";
import { type SignedInSource, startSignedInSource } from "../support/signed-in-source.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-connections-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs a command with this connector. @param types lines that a user types at the terminal */
async function run(connector: Connector, argv: readonly string[], types?: readonly string[]): Promise<CommandResult> {
  const openDoor = () => openCore({ dataDirectory: folder, settings: ONLINE, connectors: [connector] });
  const starters = { openDoor };
  if (types === undefined) return runCommand(folder, ["connections", ...argv], { starters });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(types.map((line) => `${line}\r`).join(""));
  return runCommand(folder, ["connections", ...argv], { starters, io: { stdin, isTerminal: true, useColor: false } });
}

describe("add", () => {
  let source: ExampleSource;
  let mailbox: Connector;
  beforeEach(async () => {
    source = await startExampleSource({ hasFeed: true });
    await source.put("Note", "Somebody plants a pear tree.");
    const { connector } = source;
    mailbox = {
      ...connector,
      provider: "imap",
      fields: z.object({ host: z.literal("mail.example"), user: z.literal("mia"), password: z.string() }),
      secretFields: ["password"],
      placeFields: ["host"],
      check: (access) => connector.check({ ...access, secrets: { apiKey: access.secrets["password"] ?? "" } }),
      changes: (access, from) =>
        connector.changes({ ...access, secrets: { apiKey: access.secrets["password"] ?? "" } }, from),
      read: (access, item) =>
        connector.read({ ...access, secrets: { apiKey: access.secrets["password"] ?? "" } }, item),
    };
  });
  afterEach(() => source.close());

  test("asks for missing fields, and shows no secret", async () => {
    const { code, stdout, stderr } = await run(mailbox, ["add", "imap"], ["mail.example", "mia", "good"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("done: 1 listed, 1 read") as string]);
    expect(stderr).toMatch(/Host of the mailbox.*mail\.example.*User name.*mia.*Password/s);
    expect(stdout + stderr).not.toContain("good");
  });

  test("does not ask for fields that were given", async () => {
    const { code, stderr } = await run(mailbox, ["add", "imap", "--set", "host=mail.example", "user=mia"], ["good"]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("Host of") as string]);
    const all = ["add", "imap", "--set", "host=mail.example", "user=mia", "password=good"];
    expect((await run(mailbox, all)).code).toBe(0);
  });

  test("names the missing fields with an example where it cannot prompt", async () => {
    const { code, stdout, stderr } = await run(mailbox, ["add", "imap", "--set", "user=mia"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("imap needs host and password. Add --set host=imap.example.com --ask password, or run");
    expect(source.requests()).toBe(0);
  });

  test("reports input that ends too early", async () => {
    const { code, stderr } = await run(mailbox, ["add", "imap"], ["mail.example"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("ended before every question was answered") as string]);
  });

  test("lists all providers in its help", async () => {
    const { stdout } = await run(mailbox, ["add", "--help"]);
    for (const provider of PROVIDERS) expect(stdout).toContain(provider);
  });

  test("asks for everything that each connector needs, and hides its secrets", () => {
    const connectors = createConnectors({ providerUrls: {}, connectionFolders: ["/srv"] }, []);
    const needed: Record<string, Record<string, boolean>> = {};
    for (const { provider, fields, secretFields } of connectors.values()) {
      const names = Object.entries(fields.shape).filter(([, field]) => !z.safeParse(field, undefined).success);
      if (names.length > 0)
        needed[provider] = Object.fromEntries(names.map(([name]) => [name, secretFields.includes(name)]));
    }
    const asked = Object.entries(NEEDED_FIELDS).map(
      ([provider, fields]) =>
        [
          provider,
          Object.fromEntries(Object.entries(fields).map(([name, { isSecret = false }]) => [name, isSecret])),
        ] as const,
    );
    expect(Object.fromEntries(asked)).toEqual(needed);
  });
});

describe("reconnect", () => {
  let source: SignedInSource;
  beforeEach(async () => {
    source = await startSignedInSource();
    source.device.isApproved = true;
  });
  afterEach(() => source.close());

  test("signs in again on another device for a connection that was made that way", async () => {
    const opened = await openCore({ dataDirectory: folder });
    await opened.core.updateSettings({ actor: opened.actor }, { githubClientId: "client" });
    await opened.close();
    const added = await run(source.connector, ["add", "github", "--no-wait", "--json"]);
    const { id } = parseAnswer<{ id: string }>(added);
    source.revoke();
    source.answerNext({ status: 400, body: { error: "invalid_grant" } });
    expect((await run(source.connector, ["sync", id])).code).toBe(1);
    expect((await run(source.connector, ["list"])).stdout).toContain("reconnect");
    const again = await run(source.connector, ["reconnect", id]);
    expect(again.stderr).toContain("enter WXYZ");
    expect([again.code, again.stdout]).toEqual([0, `${id} is signed in again and continues.\n`]);
    expect((await run(source.connector, ["sync", id])).stdout).toMatch(/^done/);
    await run(source.connector, ["pause", id]);
    expect((await run(source.connector, ["reconnect", id])).stdout).toContain("is still paused");
  });
});

describe("choose", () => {
  let source: ExampleSource;
  let id: string;
  let drive: Connector;
  beforeEach(async () => {
    source = await startExampleSource({ hasFeed: true });
    const named = (count: number, prefix: string, kind: string) =>
      Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, name: `${prefix} ${index}`, kind }));
    drive = {
      ...source.connector,
      needsSelection: () => true,
      resourceSchema: z.object({ id: z.string(), name: z.string() }),
      listResources(_access, { page, perPage, parentId }) {
        const all = parentId === null ? named(205, "folder", "folder") : named(3, `in-${parentId}-`, "file");
        return Promise.resolve({ resources: all.slice((page - 1) * perPage, page * perPage), total: all.length });
      },
    };
    id = (await run(drive, ["add", "granola", "--set", "apiKey=good", "--no-wait"])).stdout.trim();
  });
  afterEach(() => source.close());

  const chosen = async () => {
    const answer = await run(drive, ["list", "--json"]);
    const { connections } = parseAnswer<{ connections: { resources: { id: string }[] }[] }>(answer);
    return connections[0]?.resources.map((resource) => resource.id);
  };

  test("lists items page by page, or the contents of a folder", async () => {
    const first = await run(drive, ["choose", id]);
    expect(first.stdout.split("\n")[0]).toBe("folder0  folder 0  (folder)");
    expect(first.stderr).toContain(`connections choose ${id} --page 2`);
    expect(first.stderr).toContain(`connections choose ${id} --parent folder0`);
    const last = await run(drive, ["choose", id, "--page", "3"]);
    expect(last.stdout.trim().split("\n")).toHaveLength(5);
    expect(last.stderr).not.toContain("--page");
    const within = await run(drive, ["choose", id, "--parent", "folder7"]);
    expect(within.stdout).toContain("in-folder7-2  in-folder7- 2  (file)");
    expect((await run(drive, ["choose", id, "--page", "9"])).stdout).toBe("There is nothing on page 9.\n");
  });

  test("finds names on later pages, in a folder and among earlier choices", async () => {
    expect((await run(drive, ["choose", id, "folder 3", "folder204"])).code).toBe(0);
    expect(await chosen()).toEqual(["folder3", "folder204"]);
    const more = await run(drive, ["choose", id, "--parent", "folder7", "folder 204", "in-folder7-1"]);
    expect(more.code).toBe(0);
    expect(await chosen()).toEqual(["folder204", "in-folder7-1"]);
    const missing = await run(drive, ["choose", id, "--parent", "folder7", "folder 9"]);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("no folder 9 in folder7") as string]);
    expect(await chosen()).toEqual(["folder204", "in-folder7-1"]);
  });
});

test("choosing the same item again finishes", async () => {
  const source = await startExampleSource({ hasFeed: true });
  const drive: Connector = {
    ...source.connector,
    needsSelection: () => true,
    resourceSchema: z.object({ id: z.string(), name: z.string() }),
    listResources: () => Promise.resolve({ resources: [{ id: "a", name: "a" }] }),
  };
  const id = (await run(drive, ["add", "granola", "--set", "apiKey=good", "--no-wait"])).stdout.trim();
  expect((await run(drive, ["choose", id, "a"])).code).toBe(0);
  const again = await run(drive, ["choose", id, "a"]);
  await source.close();
  expect([again.code, again.stdout]).toEqual([0, "The choice was saved.\n"]);
});

describe("change", () => {
  let source: ExampleSource;
  let id: string;
  beforeEach(async () => {
    source = await startExampleSource({ hasFeed: true });
    for (const name of ["One", "Two", "Three"]) await source.put(name, `${name} plants a pear tree.`);
    const fields = ["--set", "apiKey=good", "folder=notes"];
    const added = await run(source.connector, ["add", "granola", ...fields, "--limit", "2", "--json"]);
    id = parseAnswer<{ id: string }>(added).id;
  });
  afterEach(() => source.close());

  test("raises the limit and sets the interval, and imports what was waiting", async () => {
    const before = await run(source.connector, ["list"]);
    expect(before.stdout).toContain("2 documents");
    const { code, stdout } = await run(source.connector, ["change", id, "--limit", "50000", "--every", "60"]);
    expect([code, stdout]).toEqual([0, `${id} imports at most 50000 documents and is synced every 60 minutes.\n`]);
    await run(source.connector, ["sync", id]);
    expect((await run(source.connector, ["list"])).stdout).toContain("3 documents");
  });

  test("requires --limit or --every", async () => {
    const { code, stderr } = await run(source.connector, ["change", id]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("Specify what to change with --limit or --every.");
  });
});
