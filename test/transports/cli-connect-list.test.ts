import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ClientState } from "../../src/transports/cli/clients/state.js";
import { CLIENT_TABLE } from "../../src/transports/cli/clients/table.js";
import { type ClientHome, clientNamed, openHome, PROGRAM } from "../support/client-home.js";

const list = async (it: ClientHome) => (await it.ask<{ clients: ClientState[] }>("connect", "--list")).clients;
const stateIn = async (it: ClientHome, name: string) => (await list(it)).find(({ client }) => client === name);

describe("connect --list", () => {
  test("lists every client, and reports none as installed in an empty home folder", async () => {
    const clients = await list(openHome());
    expect(clients.map(({ client }) => client)).toEqual(CLIENT_TABLE.map(({ name }) => name));
    for (const { installed, files } of clients) {
      expect(installed).toBe(false);
      expect(files).toMatchObject([{ scope: "user", state: "absent" }]);
    }
  });

  test.each(CLIENT_TABLE.map((client) => ({ client, name: client.name })))(
    "reports $name as installed where it left files",
    async ({ client }) => {
      const it = openHome();
      mkdirSync(client.traces(it.around)[0] ?? "", { recursive: true });
      expect(await stateIn(it, client.name)).toMatchObject({ installed: true });
    },
  );

  test.each(CLIENT_TABLE.flatMap(({ name, binaries }) => binaries.map((binary) => ({ name, binary }))))(
    "reports $name as installed where the program $binary exists",
    async ({ name, binary }) => {
      const folder = openHome();
      folder.put(join(folder.home, "bin", binary), "", 0o755);
      const it = openHome({ programFolders: ["/nowhere", join(folder.home, "bin")] });
      expect(await stateIn(it, name)).toMatchObject({ installed: true });
    },
  );

  test.each(CLIENT_TABLE.map(({ name, kind }) => ({ name, key: kind === "plugin" ? ["--key", "sm_org_secret"] : [] })))(
    "reports $name as connected after --write, and as absent after --undo",
    async ({ name, key }) => {
      const it = openHome();
      await it.ask("connect", name, ...key, "--write");
      expect(await stateIn(it, name)).toMatchObject({ files: [{ state: "connected" }] });
      await it.ask("connect", name, "--undo", "--write");
      expect(await stateIn(it, name)).toMatchObject({ files: [{ state: "absent" }] });
    },
  );

  test("reports a connection over HTTP as connected, whatever its key and container", async () => {
    const it = openHome();
    await it.ask("connect", "gemini-cli", "--http", "--key-env", "KEY", "--container", "x", "--write");
    expect(await stateIn(it, "gemini-cli")).toMatchObject({ files: [{ state: "connected" }] });
  });

  test("reports an entry as stale after the installation moved", async () => {
    const it = openHome();
    const entry = { command: PROGRAM[0], args: ["/before/dist/main.js", "mcp"] };
    it.put(it.fileOf(clientNamed("windsurf"), "user"), JSON.stringify({ mcpServers: { recollect: entry } }));
    expect(await stateIn(it, "windsurf")).toMatchObject({ files: [{ state: "stale" }] });
  });

  test("reports an entry for another service as stale, and a foreign entry as different", async () => {
    const it = openHome();
    await it.ask("connect", "cursor", "--http", "https://memory.example.com", "--write");
    expect(await stateIn(it, "cursor")).toMatchObject({ files: [{ state: "stale" }] });
    const file = it.fileOf(clientNamed("windsurf"), "user");
    it.put(file, '{"mcpServers":{"recollect":{"serverUrl":"https://elsewhere.example/"}}}');
    expect(await stateIn(it, "windsurf")).toMatchObject({ files: [{ state: "different" }] });
    const plugin = it.fileOf(clientNamed("codex-plugin"), "user");
    it.put(plugin, '{"baseUrl":"https://api.supermemory.ai"}');
    expect(await stateIn(it, "codex-plugin")).toMatchObject({ files: [{ state: "different" }] });
  });

  test("lists a project's file when it contains our entry", async () => {
    const it = openHome();
    await it.ask("connect", "vscode", "--scope", "project", "--write");
    const project = {
      scope: "project",
      state: "connected",
      file: join(it.around.workingFolder, ".vscode", "mcp.json"),
    };
    expect(await stateIn(it, "vscode")).toMatchObject({ files: [{ scope: "user", state: "absent" }, project] });
  });

  test("reports a broken file without hiding the others", async () => {
    const it = openHome();
    it.put(it.fileOf(clientNamed("cursor"), "user"), "{");
    await it.ask("connect", "zed", "--write");
    const [cursor, zed] = [await stateIn(it, "cursor"), await stateIn(it, "zed")];
    expect(cursor?.files).toMatchObject([{ state: "unreadable", problem: expect.stringContaining("not valid JSON") }]);
    expect(zed?.files).toMatchObject([{ state: "connected" }]);
  });

  test("prints one line per client", async () => {
    const it = openHome();
    await it.ask("connect", "zed", "--write");
    const { stdout } = await it.run("connect", "--list");
    expect(stdout.split("\n")).toHaveLength(CLIENT_TABLE.length + 1);
    expect(stdout).toMatch(/^zed +installed {2}connected {2}.*settings\.json$/m);
    expect(stdout).toMatch(/^cursor +not found {2}– {2}.*mcp\.json$/m);
  });
});
