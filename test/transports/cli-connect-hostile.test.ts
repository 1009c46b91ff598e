import {
  chmodSync,
  closeSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ClientHome, clientNamed, openHome, snapshot } from "../support/client-home.js";

const KEY = "sm_org_0123456789abcdefghij";

/** All files in a home folder, by path. */
function everything({ home }: ClientHome): unknown {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => [path, lstatSync(path).isFile() && lstatSync(path).size < 1e6 ? snapshot(path) : "-"]);
}

async function expectRefusal(it: ClientHome, argv: readonly string[], words: readonly string[]): Promise<void> {
  const before = everything(it);
  for (const how of [[], ["--write"], ["--undo"], ["--undo", "--write"]]) {
    const { code, stdout, stderr } = await it.run(...argv, ...how);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toContain("unexpected");
  }
  expect(everything(it)).toEqual(before);
}

describe("a file that is not safe to edit is named and left unchanged", () => {
  test.each([
    ["broken JSON", "cursor", '{\n  "mcpServers": {,\n}', "is not valid JSON at line 2, column"],
    ["JSON that ends too early", "cursor", '{"mcpServers":', "is not valid JSON at line 1"],
    ["a list in place of an object", "cursor", "[1, 2]", "contains a list where an object is expected"],
    ["a text in place of an object", "cursor", '"hello"', "contains a text where an object is expected"],
    [
      "a list where our entry goes",
      "cursor",
      '{"mcpServers": []}',
      "has a list at mcpServers, where an object is expected",
    ],
    ["null where our entry goes", "zed", '{"context_servers": null}', "has null at context_servers"],
    ["a number where our entry goes", "opencode", '{"mcp": 7}', "has a number at mcp"],
    ["a text deep inside", "openclaw-plugin", '{"plugins": {"entries": "x"}}', "has a text at plugins.entries"],
    ["broken TOML", "codex", "[mcp_servers\n", "is not valid TOML"],
    ["a text in place of a table", "codex", 'mcp_servers = "x"\n', "has a text at mcp_servers"],
    ["a list of tables", "codex", "[[mcp_servers]]\nx = 1\n", "has a list at mcp_servers"],
    ["not UTF-8", "cursor", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "is not UTF-8 text"],
  ])("%s", async (_what, name, content, words) => {
    const it = openHome();
    const client = clientNamed(name);
    const file = it.fileOf(client, "user");
    it.put(file, content);
    const before = snapshot(file);
    const key = client.kind === "plugin" ? ["--key", KEY] : [];
    for (const how of [[], ["--write"]]) {
      const { code, stdout, stderr } = await it.run("connect", name, ...key, ...how);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`${file} ${words}`);
    }
    expect(snapshot(file)).toEqual(before);
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  test("a symbolic link", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("cursor"), "user");
    it.put(join(it.home, "dotfiles", "mcp.json"), "{}");
    mkdirSync(dirname(file));
    symlinkSync(join(it.home, "dotfiles", "mcp.json"), file);
    await expectRefusal(it, ["connect", "cursor"], [file, "is a symbolic link", "--file"]);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  test("a broken symbolic link", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("cursor"), "user");
    mkdirSync(dirname(file));
    symlinkSync(join(it.home, "gone"), file);
    await expectRefusal(it, ["connect", "cursor"], [file, "is a symbolic link"]);
  });

  test("a folder", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("cursor"), "user");
    mkdirSync(file, { recursive: true });
    await expectRefusal(it, ["connect", "cursor"], [file, "is not a file"]);
  });

  test("a file where a folder belongs", async () => {
    const it = openHome();
    it.put(join(it.home, ".cursor"), "x");
    await expectRefusal(it, ["connect", "cursor"], [join(it.home, ".cursor", "mcp.json"), "could not be read"]);
  });

  test("a huge file", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("cursor"), "user");
    it.put(file, "{}");
    const handle = openSync(file, "r+");
    ftruncateSync(handle, 64 * 1024 * 1024);
    closeSync(handle);
    await expectRefusal(it, ["connect", "cursor"], [file, "larger than 32 MB"]);
  });

  test("a read-only file", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("cursor"), "user");
    it.put(file, "{}", 0o444);
    const refused = await it.run("connect", "cursor", "--write");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`${file} is read-only`);
    expect(snapshot(file)).toMatchObject({ bytes: "{}", mode: 0o444 });
    expect(readdirSync(dirname(file))).toEqual(["mcp.json"]);
  });
});

describe("names with a meaning in JavaScript", () => {
  test.each(["__proto__", "constructor", "toString"])("a server called %s is kept beside the others", async (name) => {
    const it = openHome();
    const file = it.fileOf(clientNamed("cursor"), "user");
    const text = `{\n  "mcpServers": {\n    "${name}": { "command": "x" }\n  }\n}\n`;
    it.put(file, text);
    await it.ask("connect", "cursor", "--write");
    expect(readFileSync(file, "utf8")).toContain(`"${name}": { "command": "x" }`);
    await it.ask("connect", "cursor", "--undo", "--write");
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("of two objects with the same name, edits the one that counts", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("cursor"), "user");
    const text = '{\n  "mcpServers": { "a": {} },\n  "mcpServers": { "b": {} }\n}\n';
    it.put(file, text);
    await it.ask("connect", "cursor", "--write");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ mcpServers: { b: {}, recollect: {} } });
    await it.ask("connect", "cursor", "--undo", "--write");
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

describe("a receipt", () => {
  const receipts = ({ home }: ClientHome) => join(home, ".recollect", "clients");

  test("is readable by its owner only", async () => {
    const it = openHome();
    await it.ask("connect", "zed", "--http", "--key", KEY, "--write");
    const [name = ""] = readdirSync(receipts(it));
    expect(snapshot(join(receipts(it), name))?.mode).toBe(0o600);
    expect(lstatSync(receipts(it)).mode & 0o777).toBe(0o700);
  });

  test("that is damaged counts as missing: nothing is undone without --force", async () => {
    const it = openHome();
    await it.ask("connect", "cursor", "--write");
    const [name = ""] = readdirSync(receipts(it));
    it.put(join(receipts(it), name), "{");
    const file = it.fileOf(clientNamed("cursor"), "user");
    const before = snapshot(file);
    expect((await it.run("connect", "cursor", "--undo", "--write")).code).toBe(1);
    expect(snapshot(file)).toEqual(before);
    await it.ask("connect", "cursor", "--undo", "--write", "--force");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ mcpServers: {} });
  });
});

describe("usage errors", () => {
  test.each([
    [["connect"], "name a client, or use --list"],
    [["connect", "emacs"], "Allowed choices are claude-code"],
    [["connect", "cursor", "--list"], "do not name one"],
    [["connect", "cursor", "--force"], "--force needs --undo"],
    [["connect", "windsurf", "--scope", "project"], "Windsurf has no configuration for the scope project"],
    [["connect", "cursor", "--scope", "team"], "Allowed choices are user, project"],
    [["connect", "cursor", "--http", "memory.example.com"], "It must be a URL"],
    [["connect", "cursor", "--http", "file:///etc/passwd"], "It must be a URL"],
    [["connect", "cursor", "--http", "https://me:secret@example.com"], "must not contain a user name or a password"],
    [["connect", "cursor", "--key", KEY], "a key is only for --http"],
    [["connect", "cursor", "--http", "--key", ""], "must not be empty"],
    [["connect", "cursor", "--http", "--key-env", "MY KEY"], "name of an environment variable"],
    [["connect", "cursor", "--container", "a b"], "It must be 1 to 100 letters"],
    [["connect", "zed", "--http", "--key-env", "KEY"], "Zed does not support variables"],
    [["connect", "claude-desktop", "--http"], "Claude Desktop cannot be given a service in its file"],
    [["connect", "codex-plugin", "--http", "https://memory.example.com"], "needs a key"],
  ])("%j", async (argv, words) => {
    const it = openHome();
    const before = everything(it);
    const { code, stdout, stderr } = await it.run(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(words);
    expect(everything(it)).toEqual(before);
  });
});

test("writes nothing when no receipt can be stored", async () => {
  const it = openHome();
  it.put(join(it.home, ".recollect"), "in the way");
  const { code, stderr } = await it.run("connect", "cursor", "--write");
  expect(code).toBe(1);
  expect(stderr).toContain(join(it.home, ".recollect", "clients"));
  expect(readdirSync(it.home).toSorted()).toEqual([".recollect", "project"]);
});

test("asks for a port when the service listens on any free port", async () => {
  const it = openHome({ serviceUrl: "http://127.0.0.1:0" });
  expect((await it.run("connect", "cursor", "--http")).stderr).toContain("RECOLLECT_PORT");
  expect(await it.ask("connect", "cursor")).toMatchObject({ action: "create" });
});

test("reports a folder without write permission (skipped for root, who may write anywhere)", async ({ skip }) => {
  if (process.getuid?.() === 0) skip("root may write everywhere");
  const it = openHome();
  const folder = dirname(it.fileOf(clientNamed("cursor"), "user"));
  mkdirSync(folder);
  chmodSync(folder, 0o555);
  const { code, stderr } = await it.run("connect", "cursor", "--write");
  expect(code).toBe(1);
  expect(stderr).toContain(`${join(folder, "mcp.json")} could not be written`);
  expect(readdirSync(folder)).toEqual([]);
  chmodSync(folder, 0o755);
});
