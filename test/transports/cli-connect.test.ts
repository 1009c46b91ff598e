import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONFIG_FORMATS } from "../../src/transports/cli/clients/formats.js";
import { valueAt } from "../../src/lib/config-text.js";
import type { Client, Scope } from "../../src/transports/cli/clients/client.js";
import { type ClientHome, clientNamed, openHome, PLACES, PROGRAM, snapshot } from "../support/client-home.js";

const KEY = "sm_org_0123456789abcdefghij";

/** The options that a plugin needs. */
const flags = (client: Client) => (client.kind === "plugin" ? ["--key", KEY] : []);
const target = ({ client, scope }: { client: Client; scope: Scope }) => ["connect", client.name, "--scope", scope];
const connect = (at: { client: Client; scope: Scope }) => [...target(at), ...flags(at.client), "--write"];

const TEXTS: Readonly<Record<Client["format"], Readonly<Record<string, string>>>> = {
  jsonc: {
    "an empty file": "",
    "an empty object": "{}",
    "only comments": "// nothing yet\n",
    "one line": '{"theme":"dark","mcpServers":{"other":{"command":"x"}},"mcp":{"other":{"type":"local"}}}',
    "comments, other servers and trailing commas": `// mine
{
    "theme": "dark", // at night
    "mcpServers": {
        /* the first */
        "other": { "command": "other", "args": ["--flag"], "env": { "TOKEN": "t" } }, // keep
    },
    "servers": { "other": { "type": "stdio", "command": "other" } },
    "context_servers": {},
    "mcp": { /* none */ },
    "env": {
        "EDITOR": "vi" // of course
    },
}
`,
    "Windows line breaks and tabs": '{\r\n\t"mcpServers": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n',
    "a byte order mark": '\ufeff{\n  "a": 1\n}\n',
  },
  toml: {
    "an empty file": "",
    "only comments": "# nothing yet\n",
    "comments and other servers": `# mine
model = "gpt-5" # the big one

[mcp_servers.other]
command = 'other'   # literal
args = [
  "--flag", # why
]

[mcp_servers.other.env]
TOKEN = "t"

[[profiles]]
name = "a"
`,
    "an inline table": 'mcp_servers = { other = { command = "x" } }\nmodel = "gpt-5"\n',
    "no line break at the end": "[tui]\nnotifications = true",
    "Windows line breaks": "[tui]\r\nnotifications = true\r\n",
  },
};

const STALE: Readonly<Record<Client["format"], string>> = {
  jsonc: `{
  // started by hand once
  "mcpServers": { "recollect": { "command": "node", "args": ["/old/dist/main.js", "mcp"] } },
  "servers": { "recollect": { "command": "node", "args": ["/old/dist/main.js", "mcp"] } },
  "context_servers": { "recollect": { "command": "node", "args": ["/old/dist/main.js", "mcp"] } },
  "mcp": { "recollect": { "type": "local", "command": ["node", "/old/dist/main.js", "mcp"] } },
  "apiKey": "sm_old_old_old_old_old", "baseUrl": "https://api.supermemory.ai",
  "env": { "SUPERMEMORY_API_URL": "https://api.supermemory.ai" }
}
`,
  toml: `[mcp_servers.recollect] # mine
command = "node" # old
args = ["/old/dist/main.js", "mcp"]

[mcp_servers.recollect.env]
RECOLLECT_CONTAINER = "old"

[tui]
x = 1
`,
};

const CASES = PLACES.flatMap((at) =>
  Object.entries({ ...TEXTS[at.client.format], "a stale entry": STALE[at.client.format] }).map(([what, text]) => ({
    ...at,
    what,
    text,
    name: at.client.name,
  })),
);

function parsed({ format }: Client, file: string): unknown {
  return CONFIG_FORMATS[format].parse(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
}

/** Files that the command left beside the client's file. */
function leftBeside(file: string): string[] {
  return existsSync(dirname(file)) ? readdirSync(dirname(file)).filter((name) => name.includes("recollect-")) : [];
}

async function expectNothingLeft({ home }: ClientHome, file: string): Promise<void> {
  expect(leftBeside(file)).toEqual([]);
  expect(readdirSync(join(home, ".recollect", "clients"))).toEqual([]);
}

test("warns of a custom data folder that has no memory yet, and connects all the same", async () => {
  const it = openHome({ dataDirectory: "/srv/tpyo", hasMemory: false });
  expect((await it.run("connect", "claude-code")).stderr).toBe("");
  expect(await it.run("connect", "claude-code", "--write")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("There is no memory in /srv/tpyo yet."),
  });
});

describe("connect", () => {
  test.each(PLACES.map((at) => ({ ...at, name: at.client.name })))(
    "$name ($scope) without a file: previews, writes for the owner only, and undoes without a trace",
    async (at) => {
      const it = openHome();
      const file = it.fileOf(at.client, at.scope);
      const folder = () => readdirSync(it.home, { recursive: true, encoding: "utf8" });
      const before = folder();
      const shown = await it.ask(...target(at), ...flags(at.client));
      expect(shown).toMatchObject({ file, action: "create", written: false, backup: null });
      expect(folder()).toEqual(before);
      expect(await it.ask(...connect(at))).toMatchObject({ file, action: "create", written: true, backup: null });
      expect(snapshot(file)?.mode).toBe(0o600);
      expect(parsed(at.client, file)).toMatchObject({});
      expect(await it.ask(...connect(at))).toMatchObject({ action: "none", written: false });
      const written = folder();
      const foreseen = await it.ask(...target(at), "--undo");
      expect(foreseen).toMatchObject({ file, removed: true, written: false });
      expect(folder()).toEqual(written);
      expect(await it.ask(...target(at), "--undo", "--write")).toEqual({ ...foreseen, written: true });
      const after = folder().filter((path) => !path.startsWith(".recollect"));
      expect(after.toSorted()).toEqual(before.toSorted());
    },
  );

  test.each(CASES)("$name ($scope) with $what: changes nothing else, and undo restores the same bytes", async (at) => {
    const it = openHome();
    const file = it.fileOf(at.client, at.scope);
    it.put(file, at.text, 0o640);
    const before = snapshot(file);
    const original = CONFIG_FORMATS[at.client.format].parse(at.text.replace(/^\ufeff/, ""));
    const written = await it.ask(...connect(at));
    expect(written).toMatchObject({ action: "change", written: true });
    expect(snapshot(written.backup ?? "")).toEqual(before);
    expect(snapshot(file)?.mode).toBe(0o640);
    for (const comment of at.text.match(/(?<!:)\/\/.*|\/\*.*?\*\/|#.*/g) ?? [])
      if (!/mine|old/.test(comment)) expect(readFileSync(file, "utf8")).toContain(comment.trimEnd());
    for (const path of [
      ["theme"],
      ["mcpServers", "other"],
      ["mcp_servers", "other"],
      ["env", "EDITOR"],
      ["model"],
      ["tui"],
    ])
      expect(valueAt(parsed(at.client, file), path)).toEqual(valueAt(original, path));
    expect(await it.ask(...connect(at))).toMatchObject({ action: "none" });
    await it.ask(...target(at), "--undo", "--write");
    expect(snapshot(file)).toEqual(before);
    await expectNothingLeft(it, file);
  });

  test.each(PLACES.map((at) => ({ ...at, name: at.client.name })))(
    "$name ($scope): written twice with different options, one undo restores the original",
    async (at) => {
      const it = openHome();
      const file = it.fileOf(at.client, at.scope);
      it.put(file, TEXTS[at.client.format]["only comments"] ?? "");
      const before = snapshot(file);
      await it.ask(...connect(at));
      expect(await it.ask(...connect(at), "--container", "work")).toMatchObject({ written: true });
      expect(readFileSync(file, "utf8")).toContain("work");
      await it.ask(...target(at), "--undo", "--write");
      expect(snapshot(file)).toEqual(before);
    },
  );

  test.each(PLACES.map((at) => ({ ...at, name: at.client.name })))(
    "$name ($scope): undo keeps what others wrote in the meantime",
    async (at) => {
      const it = openHome();
      const file = it.fileOf(at.client, at.scope);
      const isToml = at.client.format === "toml";
      const [head, tail] = isToml ? ["# first\n", '\n[later]\nx = "y"\n'] : ['{\n  "a": 1,\n', '  "z": 26\n}\n'];
      it.put(file, head + tail);
      await it.ask(...connect(at));
      const grown = isToml ? '# more\nnew = "here"\n' : '{\n  "new": "here",\n  "a": 1,\n';
      it.put(file, readFileSync(file, "utf8").replace(head, grown));
      await it.ask(...target(at), "--undo", "--write");
      expect(readFileSync(file, "utf8")).toBe(grown + tail);
    },
  );

  test.each(PLACES.filter(({ client }) => client.format === "jsonc").map((at) => ({ ...at, name: at.client.name })))(
    "$name ($scope): undo restores former content even in a file that the client rewrote",
    async (at) => {
      const it = openHome();
      const file = it.fileOf(at.client, at.scope);
      for (const before of ["{}", STALE.jsonc]) {
        it.put(file, before);
        await it.ask(...connect(at));
        it.put(file, JSON.stringify({ numStartups: 1, ...(parsed(at.client, file) as object) }));
        await it.ask(...target(at), "--undo", "--write");
        const original = CONFIG_FORMATS.jsonc.parse(before) as object;
        expect(parsed(at.client, file)).toEqual({ numStartups: 1, ...original });
      }
    },
  );

  test("an entry changed by hand is undone only with --force, and the rest stays", async () => {
    const it = openHome();
    const at = { client: clientNamed("cursor"), scope: "user" as const };
    const file = it.fileOf(at.client, "user");
    it.put(file, '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n');
    await it.ask(...connect(at));
    it.put(file, readFileSync(file, "utf8").replace('"mcp"', '"mcp", "--json"'));
    const changed = snapshot(file);
    const refused = await it.run(...target(at), "--undo", "--write");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`${file} has changed since it was written`);
    expect(refused.stderr).toContain("--force");
    expect(snapshot(file)).toEqual(changed);
    await it.ask(...target(at), "--undo", "--write", "--force");
    expect(parsed(at.client, file)).toEqual({ mcpServers: { other: {} } });
  });

  test("refuses to undo a missing entry and, without --force, one written by someone else", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("cursor"), "user");
    expect((await it.run("connect", "cursor", "--undo", "--write")).stderr).toContain(`${file} has no Recollect entry`);
    it.put(file, '{"mcpServers":{"recollect":{"command":"recollect","args":["mcp"]}}}');
    expect((await it.run("connect", "cursor", "--undo", "--write")).stderr).toContain("not written by this command");
    await it.ask("connect", "cursor", "--undo", "--write", "--force");
    expect(parsed(clientNamed("cursor"), file)).toEqual({ mcpServers: {} });
  });
});

describe("what is written", () => {
  test.each(PLACES.map((at) => ({ ...at, name: at.client.name })))("$name ($scope)", async (at) => {
    const it = openHome({ dataDirectory: "/srv/memory" });
    await it.ask(...connect(at), "--container", "work");
    const file = it.fileOf(at.client, at.scope);
    const text = { file: file.replace(it.home, "~"), text: readFileSync(file, "utf8") };
    expect(`${text.file}\n${text.text}`).toMatchSnapshot();
  });

  test.each(PLACES.filter(({ client }) => client.ways.includes("http")).map((at) => ({ ...at, name: at.client.name })))(
    "$name ($scope) over HTTP",
    async (at) => {
      const it = openHome();
      const key = at.client.variable ? ["--key-env", "MEMORY_KEY"] : ["--key", KEY];
      await it.ask(
        ...target(at),
        "--http",
        "https://memory.example.com/mcp/",
        ...key,
        "--container",
        "work",
        "--write",
      );
      expect(readFileSync(it.fileOf(at.client, at.scope), "utf8")).toMatchSnapshot();
    },
  );

  test.each([
    ["darwin", "claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json"],
    ["win32", "claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json"],
    ["darwin", "vscode", "Library/Application Support/Code/User/mcp.json"],
    ["win32", "vscode", "AppData/Roaming/Code/User/mcp.json"],
    ["darwin", "zed", ".config/zed/settings.json"],
    ["win32", "zed", "AppData/Roaming/Zed/settings.json"],
  ] as const)("on %s %s reads ~/%s", async (platform, name, path) => {
    const it = openHome({ platform });
    expect((await it.ask("connect", name)).file).toBe(join(it.home, path));
  });

  test("finds Claude Code and Codex in the folders that their environment variables name", async () => {
    const it = openHome({ claudeFolder: "/elsewhere/claude", codexFolder: "/elsewhere/codex" });
    expect((await it.ask("connect", "claude-code")).file).toBe("/elsewhere/claude/.claude.json");
    expect((await it.ask("connect", "codex")).file).toBe("/elsewhere/codex/config.toml");
  });

  test("opencode: edits an existing .jsonc, and uses the version 2 location where servers are there", async () => {
    const it = openHome();
    const file = join(it.around.configFolder, "opencode", "opencode.jsonc");
    it.put(file, '{ "mcp": { "servers": { "other": {} } } } // two\n');
    await it.ask("connect", "opencode", "--write");
    expect(valueAt(CONFIG_FORMATS.jsonc.parse(readFileSync(file, "utf8")), ["mcp", "servers", "recollect"])).toEqual({
      type: "local",
      command: [...PROGRAM, "mcp"],
    });
  });

  test("--file selects another file", async () => {
    const it = openHome();
    const answer = await it.ask("connect", "vscode", "--file", "insiders.json", "--write");
    expect(answer.file).toBe(join(it.around.workingFolder, "insiders.json"));
    expect(existsSync(answer.file)).toBe(true);
    await it.ask("connect", "vscode", "--file", "insiders.json", "--undo", "--write");
    expect(existsSync(answer.file)).toBe(false);
  });
});

test("shows people what changes, how to apply it and how to undo it", async () => {
  const it = openHome();
  const file = it.fileOf(clientNamed("cursor"), "user");
  it.put(file, '{\n  "mcpServers": {}\n}\n');
  const shown = (await it.run("connect", "cursor")).stdout.split("\n");
  expect(shown.slice(0, 3)).toEqual([`Cursor  ${file}`, '-   "mcpServers": {}', '+   "mcpServers": {']);
  expect(shown.at(-2)).toBe("Nothing was written yet. Run the same command with --write to write it.");
  const written = (await it.run("connect", "cursor", "--file", file, "--write")).stdout;
  expect(written).toContain("written.");
  expect(written).toContain(`To undo this: recollect connect cursor --file ${file} --undo --write`);
  expect((await it.run("connect", "cursor")).stdout).toContain("It is already there");
  expect((await it.run("connect", "cursor", "--undo", "--write")).stdout).toBe(
    `undone: ${file} no longer has the entry\n`,
  );
});

describe("keys", () => {
  test("are created for plugins of this service on --write, and named for revoking", async () => {
    const it = openHome();
    const shown = await it.ask("connect", "opencode-plugin");
    expect(shown.keyId).toBeNull();
    const { keyId, file } = await it.ask("connect", "opencode-plugin", "--write");
    const { keys } = await it.ask<{ keys: { id: string; client: string; hint: string }[] }>("keys", "list");
    expect(keys).toMatchObject([{ id: keyId, client: "opencode" }]);
    expect(readFileSync(file, "utf8")).toContain(`${keys[0]?.hint}"`);
    expect(await it.ask("connect", "opencode-plugin", "--undo", "--write")).toMatchObject({ keyId });
  });

  test("come from the settings where present, and from a variable in a project", async () => {
    const it = openHome({ apiKey: KEY });
    await it.ask("connect", "cursor", "--http", "--write");
    await it.ask("connect", "cursor", "--scope", "project", "--http", "--write");
    const cursor = clientNamed("cursor");
    expect(readFileSync(it.fileOf(cursor, "user"), "utf8")).toContain(`Bearer ${KEY}`);
    expect(readFileSync(it.fileOf(cursor, "project"), "utf8")).toContain("Bearer ${env:RECOLLECT_API_KEY}");
  });

  test("are never shown: not the new one, the replaced one, nor other servers' secrets", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("windsurf"), "user");
    const theirs = "ghp_abcdefghijklmnopqrstuvwxyz";
    it.put(
      file,
      `{"mcpServers":{"git":{"env":{"GIT_TOKEN":"${theirs}"}},"recollect":{"headers":{"Authorization":"Bearer ${KEY}"}}}}`,
    );
    for (const format of [[], ["--json"]]) {
      const { stdout, stderr } = await it.run("connect", "windsurf", "--http", "--key", `${KEY}-new`, ...format);
      expect(stdout).toContain("Bearer sm_…");
      for (const secret of [theirs, KEY]) expect(stdout + stderr).not.toContain(secret);
    }
  });

  test("may come from standard input", async () => {
    const it = openHome();
    const file = it.fileOf(clientNamed("zed"), "user");
    const { runCommand } = await import("../support/command-line.js");
    const starters = { surroundings: () => Promise.resolve(it.around) };
    const argv = ["connect", "zed", "--http", "--key", "-", "--write"];
    expect(await runCommand(it.home, argv, { stdin: `${KEY}\n`, starters })).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toContain(`"Bearer ${KEY}"`);
  });
});
