import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ClientState } from "../../src/transports/cli/clients/state.js";
import { CLIENT_TABLE } from "../../src/transports/cli/clients/table.js";
import { type ClientHome, clientNamed, openHome, PROGRAM } from "../support/client-home.js";

const list = async (it: ClientHome) => (await it.ask<{ clients: ClientState[] }>("connect", "--list")).clients;
const stateIn = async (it: ClientHome, name: string) => (await list(it)).find(({ client }) => client === name);

describe("connect --list", () => {
  test("names every client, and says of a fresh home that nothing is there", async () => {
    const clients = await list(openHome());
    expect(clients.map(({ client }) => client)).toEqual(CLIENT_TABLE.map(({ name }) => name));
    for (const { installed, files } of clients) {
      expect(installed).toBe(false);
      expect(files).toMatchObject([{ scope: "user", state: "absent" }]);
    }
  });

  test.each(CLIENT_TABLE.map((client) => ({ client, name: client.name })))(
    "$name is installed where it left a trace",
    async ({ client }) => {
      const it = openHome();
      mkdirSync(client.traces(it.around)[0] ?? "", { recursive: true });
      expect(await stateIn(it, client.name)).toMatchObject({ installed: true });
    },
  );

  test.each(CLIENT_TABLE.flatMap(({ name, binaries }) => binaries.map((binary) => ({ name, binary }))))(
    "$name is installed where $binary is a program",
    async ({ name, binary }) => {
      const folder = openHome();
      folder.put(join(folder.home, "bin", binary), "", 0o755);
      const it = openHome({ programFolders: ["/nowhere", join(folder.home, "bin")] });
      expect(await stateIn(it, name)).toMatchObject({ installed: true });
    },
  );

  test.each(CLIENT_TABLE.map(({ name, kind }) => ({ name, key: kind === "plugin" ? ["--key", "sm_org_secret"] : [] })))(
    "$name is connected once it was written, and not any more once it was undone",
    async ({ name, key }) => {
      const it = openHome();
      await it.ask("connect", name, ...key, "--write");
      expect(await stateIn(it, name)).toMatchObject({ files: [{ state: "connected" }] });
      await it.ask("connect", name, "--undo", "--write");
      expect(await stateIn(it, name)).toMatchObject({ files: [{ state: "absent" }] });
    },
  );

  test("over HTTP is connected too, with whatever key and container", async () => {
    const it = openHome();
    await it.ask("connect", "gemini-cli", "--http", "--key-env", "KEY", "--container", "x", "--write");
    expect(await stateIn(it, "gemini-cli")).toMatchObject({ files: [{ state: "connected" }] });
  });

  test("after the installation moved it is stale", async () => {
    const it = openHome();
    const entry = { command: PROGRAM[0], args: ["/before/dist/main.js", "mcp"] };
    it.put(it.fileOf(clientNamed("windsurf"), "user"), JSON.stringify({ mcpServers: { recollect: entry } }));
    expect(await stateIn(it, "windsurf")).toMatchObject({ files: [{ state: "stale" }] });
  });

  test("what was written for another service is stale, what somebody else wrote is different", async () => {
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

  test("a project's file is named where it has something of ours", async () => {
    const it = openHome();
    await it.ask("connect", "vscode", "--scope", "project", "--write");
    const project = {
      scope: "project",
      state: "connected",
      file: join(it.around.workingFolder, ".vscode", "mcp.json"),
    };
    expect(await stateIn(it, "vscode")).toMatchObject({ files: [{ scope: "user", state: "absent" }, project] });
  });

  test("one broken file is told, and hides none of the others", async () => {
    const it = openHome();
    it.put(it.fileOf(clientNamed("cursor"), "user"), "{");
    await it.ask("connect", "zed", "--write");
    const [cursor, zed] = [await stateIn(it, "cursor"), await stateIn(it, "zed")];
    expect(cursor?.files).toMatchObject([{ state: "unreadable", problem: expect.stringContaining("not valid JSON") }]);
    expect(zed?.files).toMatchObject([{ state: "connected" }]);
  });

  test("is a line for each client for people", async () => {
    const it = openHome();
    await it.ask("connect", "zed", "--write");
    const { stdout } = await it.run("connect", "--list");
    expect(stdout.split("\n")).toHaveLength(CLIENT_TABLE.length + 1);
    expect(stdout).toMatch(/^zed +installed {2}connected {2}.*settings\.json$/m);
    expect(stdout).toMatch(/^cursor +not found {2}– {2}.*mcp\.json$/m);
  });
});
