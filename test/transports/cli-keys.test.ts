import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CreatedKey, ListedKey } from "../../src/core/index.js";
import { parseAnswer, runCommand } from "../support/command-line.js";

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "recollect-cli-keys-"));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const run = (...argv: string[]) => runCommand(data, ["keys", ...argv]);
const create = async (...argv: string[]) => parseAnswer<CreatedKey>(await run("create", "--json", ...argv));
const listed = async () => parseAnswer<{ keys: ListedKey[] }>(await run("list", "--json")).keys;

const OPTIONS = "--name laptop --container mia library:read a:b:read --expires 90 --rate 30 --client opencode".split(
  " ",
);

describe("keys create", () => {
  test("creates a key with all the given options, and lists them", async () => {
    const made = await run("create", ...OPTIONS);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^sm_\w+\n$/);
    expect(made.stderr).toContain("(laptop, for opencode, only mia library:read a:b:read, 30 requests in 60 s)");
    expect(await listed()).toMatchObject([
      {
        name: "laptop",
        kind: "agent",
        client: "opencode",
        grants: [
          { containerTag: "mia", permission: "write" },
          { containerTag: "library", permission: "read" },
          { containerTag: "a:b", permission: "read" },
        ],
        rate: { requests: 30, windowMs: 60_000 },
        isOpen: true,
      },
    ]);
    const [key] = await listed();
    expect(Date.parse(key?.expiresAt ?? "") - Date.parse(key?.createdAt ?? "")).toBe(90 * 86_400_000);
  });

  test("creates an unlimited key that never expires when given no options", async () => {
    const { key } = await create();
    expect(key).toMatchObject({ name: "key", kind: "organization", permission: "write", grants: null, rate: null });
    expect(key).toMatchObject({ expiresAt: null, client: null });
  });

  test("a read-only key is read-only in every container", async () => {
    expect((await create("--read-only")).key).toMatchObject({ permission: "read", grants: null });
    expect((await create("--read-only", "--container", "mia:write", "tom")).key.grants).toEqual([
      { containerTag: "mia", permission: "read" },
      { containerTag: "tom", permission: "read" },
    ]);
    expect((await run("list")).stdout).toMatch(/key, read-only {2}.*\n.*key, only mia:read tom:read {2}/);
  });

  test("a container named twice counts once, with the stricter permission", async () => {
    const { key } = await create("--container", "mia", "--container", "mia:read", "--container", "tom");
    expect(key.grants).toEqual([
      { containerTag: "mia", permission: "read" },
      { containerTag: "tom", permission: "write" },
    ]);
  });

  test.each<[option: string[], words: RegExp]>([
    ...["", " ", "abc", "0", "366", "-1", "1.5", "1e9", "NaN", "Infinity", "90 days"].map(
      (value): [string[], RegExp] => [["--expires", value], /--expires.*whole number from 1 to 365/],
    ),
    ...["", "abc", "0", "10001", "2.5"].map((value): [string[], RegExp] => [
      ["--rate", value],
      /--rate.*whole number from 1 to 10000/,
    ]),
    [["--container", ""], /--container.*must not be empty/],
    [["--container", ":read"], /--container.*must not be empty/],
    [["--container", "mia:reed"], /write mia:read, or mia:reed:write/],
    [["--container", "mia:READ"], /write mia:read, or mia:READ:write/],
    [["--container", "mia:wirte"], /write mia:write, or mia:wirte:write/],
    [["--container", "mia:ro"], /write mia:read, or mia:ro:write/],
    [["--container", "no spaces"], /--container.*must contain only letters, digits/],
    [["--container", "mia", "a/b"], /--container.*must contain only letters, digits/],
    [["--container", "mía:read"], /--container.*must contain only letters, digits/],
    [["--container", "a".repeat(101)], /--container.*at most 100 characters/],
    [["--container"], /--container.*argument missing/],
    [["--name", ""], /--name.*must not be empty/],
    [["--name", "a".repeat(201)], /name: must have at most 200 characters/],
    [["--name", "a\u0007b"], /name: must not contain the control character/],
    [["--client", ""], /--client.*must not be empty/],
    [["--client", "a b"], /client: must be 1 to 64 letters/],
    [["--expires"], /--expires.*argument missing/],
    [["--read-only=no"], /unknown option|does not take|too many/i],
    [["--admin"], /unknown option/],
    [["laptop"], /too many arguments/],
  ])("refuses %j with an explanation, and creates no key", async (option, words) => {
    const refused = await run("create", ...option);
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(words) });
    expect(refused.stderr).toContain("recollect keys create --help");
    expect(await listed()).toEqual([]);
  });
});

describe("an existing key", () => {
  test("can be disabled, enabled and revoked, and the list shows when", async () => {
    const { key, secret } = await create("--name", "phone");
    const state = async () => (await run("list")).stdout.trimEnd();
    expect(await state()).toMatch(/never used$/);
    expect(await run("toggle", key.id)).toEqual({ code: 0, stdout: `disabled: ${key.id}\n`, stderr: "" });
    expect(await state()).toMatch(/disabled \d{4}-\d\d-\d\d$/);
    expect((await listed())[0]?.isOpen).toBe(false);
    expect(await run("toggle", key.id)).toEqual({ code: 0, stdout: `enabled: ${key.id}\n`, stderr: "" });
    expect((await listed())[0]?.isOpen).toBe(true);
    expect(await run("revoke", key.id)).toEqual({ code: 0, stdout: `revoked: ${key.id}\n`, stderr: "" });
    expect(await state()).toMatch(/revoked \d{4}-\d\d-\d\d$/);
    expect(await state()).not.toContain(secret.slice(0, -4));
    for (const command of ["toggle", "revoke"])
      expect(await run(command, key.id)).toMatchObject({ code: 1, stderr: `error: Key not found: ${key.id}\n` });
  });

  test.each(["", "nothing", "../../etc/passwd", "a".repeat(300), "sm_a_key\u0000"])(
    "is not changed by an invalid id: %j",
    async (id) => {
      await create();
      const before = await listed();
      for (const command of ["toggle", "revoke"]) {
        const refused = await run(command, id);
        expect([1, 2]).toContain(refused.code);
        expect(refused).toMatchObject({
          stdout: "",
          stderr: expect.stringMatching(/^error: (Key not found|id: must)/),
        });
      }
      expect(await listed()).toEqual(before);
    },
  );

  test("cannot write control characters to the terminal with its name", async () => {
    await create("--name", "two\nlines\tof it");
    const { stdout } = await run("list");
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  });
});
