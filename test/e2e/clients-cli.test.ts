import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { ONLINE } from "../support/connection.js";
import { type ScriptedGithub, startGithub } from "../support/scripted-github.js";
import { openBrowser, type OwnerBrowser } from "../support/owner-browser.js";
import { commandsOf, openSupermemoryCli, type SupermemoryCli } from "../support/supermemory-cli.js";

/** The command line of the official package, run as a program with an empty home folder that names the service. */

let service: ClientService;
let cli: SupermemoryCli;
beforeAll(async () => {
  service = await openClientService();
  cli = await openSupermemoryCli(service);
});
afterAll(async () => {
  await cli.close();
  await service.close();
});

/** Exit codes of the CLI. */
const [FAILED, AUTH_REQUIRED, FORBIDDEN, NOT_FOUND] = [1, 2, 3, 4];
const TAG = ["--tag", "work"];

const trial = tryClient("cli");

describe("identity", () => {
  trial.tries("whoami", "names the organisation, in text and in JSON", async () => {
    const [text, data] = await Promise.all([cli.print("whoami"), cli.read("whoami")]);
    expect(data).toMatchObject({ user: { id: expect.any(String) }, org: { id: service.rest.actor.organizationId } });
    expect(data.scope).toEqual({ type: "full" });
    expect(text).toContain(`(${data.org.id})`);
    expect(text).not.toContain("undefined");
  });

  trial.tries("whoami", "finds the service by its environment variable too, and reports a wrong key", async () => {
    const environment = { SUPERMEMORY_API_URL: service.url, HOME: cli.folder };
    expect((await cli.run(["whoami"], { environment })).code).toBe(0);
    const wrong = { ...environment, SUPERMEMORY_API_KEY: "sm_nobody_xxxxxxxxxxxxxxxxxxxx" };
    const { code, stderr } = await cli.run(["whoami"], { environment: wrong });
    expect({ code, stderr }).toMatchObject({ code: AUTH_REQUIRED, stderr: expect.stringContaining("Invalid API key") });
  });

  trial.tries(["login", "logout"], "store a valid key, and remove it", async () => {
    const file = join(cli.home, ".supermemory/credentials.json");
    expect(await cli.print("login", "--api-key", service.key)).toContain("Logged in");
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      apiKey: service.key,
      orgId: service.rest.actor.organizationId,
    });
    expect(await cli.print("logout")).toContain("Logged out");
    expect(existsSync(file)).toBe(false);
    expect((await cli.run(["login", "--api-key", "sm_nobody_xxxxxxxxxxxxxxxxxxxx"])).code).toBe(AUTH_REQUIRED);
  });

  trial.tries(["config", "config get", "config set", "init"], "show and set the service address", async () => {
    expect(await cli.print("config", "get", "apiUrl")).toBe(service.url);
    expect(await cli.print("config", "set", "output", "human", "--scope", "global")).toContain("Set output = human");
    expect(await cli.print("init", "--scope", "global", "--api-url", service.url)).toContain("Configured");
    expect(await cli.print("config")).toContain(service.url);
  });

  trial.tries(["setup", "open"], "print what an agent or a person would open, without a browser", async () => {
    expect(await cli.print("setup", "--prompt")).toContain("npm install supermemory");
    expect(await cli.print("open", "docs", "--no-browser")).toContain("/docs");
  });
});

describe("documents", () => {
  trial.tries("add", "accepts a text, a file, standard input and a batch", async () => {
    await writeFile(join(cli.folder, "harbour.md"), "# Harbour\n\nThe ferry leaves at noon.\n");
    const text = await cli.read(
      "add",
      "Ada leads the search team.",
      ...TAG,
      "--title",
      "Team",
      "--id",
      "ada",
      "--metadata",
      '{"a":1}',
    );
    expect(text).toMatchObject({ id: expect.any(String), status: "queued" });
    expect(await cli.print("add", "harbour.md", ...TAG, "--id", "harbour", "--metadata", '{"b":"x"}')).toMatch(
      /Uploaded harbour\.md → \S+ \(queued\)\n {2}Tag: work/,
    );
    const piped = await cli.run(["add", "--stdin", ...TAG], { input: "Bo waters the orchids." });
    expect(piped.stdout).toMatch(/Added document \S+ \(queued\)/);
    const items = JSON.stringify([{ content: "One." }, { content: "Two.", tag: "play", id: "two" }]);
    const batch = await cli.run(["add", "--batch", ...TAG, "--json"], { input: items });
    expect(JSON.parse(batch.stdout)).toMatchObject({ total: 2, results: [{ status: "queued" }, { status: "queued" }] });
    await service.settle();
  });

  trial.tries("docs list", "shows titles, states and pages", async () => {
    const [text, data, none] = await Promise.all([
      cli.print("docs", "list", ...TAG, "--limit", "2"),
      cli.read("docs", "list", ...TAG),
      cli.print("docs", "list", "--tag", "nothing"),
    ]);
    expect(text).toContain("Page 1 of 2 (4 total)");
    expect(data.documents.find(({ customId }: { customId: string }) => customId === "ada")).toMatchObject({
      title: "Team",
      status: "done",
      metadata: { a: 1 },
    });
    expect(none).toContain("No documents found.");
  });

  trial.tries(["docs get", "docs chunks", "docs status"], "show one document, its chunks and its status", async () => {
    const [text, data, chunks, status, missing] = await Promise.all([
      cli.print("docs", "get", "ada"),
      cli.read("docs", "get", "harbour"),
      cli.print("docs", "chunks", "ada"),
      cli.read("docs", "status", "ada"),
      cli.refuse("docs", "get", "nobody"),
    ]);
    expect(text).toContain("Ada leads the search team.");
    expect(data).toMatchObject({ content: expect.stringContaining("ferry"), metadata: { b: "x" } });
    expect(chunks).toMatch(/^\s*0\. Ada leads/);
    expect(status).toMatchObject({ status: "done", progress: 100 });
    expect(missing).toMatchObject({ code: NOT_FOUND, message: expect.stringContaining("nobody") });
  });

  trial.tries("docs delete", "removes by customId, and reports an unknown document", async () => {
    expect(await cli.print("docs", "delete", "two", "--yes")).toContain("Deleted document two");
    expect((await cli.refuse("docs", "delete", "two", "--yes")).code).toBe(NOT_FOUND);
  });
});

describe("memories", () => {
  trial.tries("search", "prints memories, or chunks in other modes, with every include option", async () => {
    const [text, hybrid, none] = await Promise.all([
      cli.print("search", "Who leads the search team?", ...TAG),
      cli.read(
        "search",
        "When does the ferry leave?",
        ...TAG,
        "--mode",
        "hybrid",
        "--limit",
        "3",
        "--rerank",
        "--rewrite",
        "--threshold",
        "0.2",
        "--include",
        "summaries,documents,relatedMemories,forgottenMemories",
      ),
      cli.print("search", "Who leads?", ...TAG, "--filter", '{"AND":[{"key":"a","value":"2"}]}'),
    ]);
    expect(text).toMatch(/1\. ".*Ada.*"\s+Score: [01]\.\d\d/);
    expect(JSON.stringify(hybrid.results)).toContain("ferry leaves at noon");
    expect(hybrid.results[0].documents[0]).toMatchObject({ id: expect.any(String) });
    expect(none).toBe("No results found.");
  });

  trial.tries(["remember", "update", "forget"], "add, update and forget a memory", async () => {
    const { memories } = await cli.read(
      "remember",
      "Cleo plays the cello",
      ...TAG,
      "--static",
      "--metadata",
      '{"m":1}',
    );
    const id = memories[0].id;
    expect(await cli.print("remember", "Cleo skis", ...TAG)).toMatch(/Remembered \S+\n {2}Tag: work/);
    const updated = await cli.print("update", id, "Cleo plays the violin", ...TAG, "--reason", "correction");
    expect(updated).toContain("Version: 2");
    expect(await cli.print("forget", "--content", "Cleo skis", ...TAG)).toContain("Forgot memory");
    const newest = /Updated memory (\S+)/.exec(updated)?.[1] ?? "";
    expect(await cli.print("forget", newest, ...TAG, "--reason", "test")).toContain(`Forgot memory ${newest}`);
    expect((await cli.refuse("forget", newest, ...TAG)).code).toBe(FAILED);
    expect((await cli.refuse("forget", "nobody", ...TAG)).code).toBe(NOT_FOUND);
  });

  trial.tries("profile", "prints known facts, with a question and for an empty tag", async () => {
    await cli.print("remember", "Dora likes figs", "--tag", "dora", "--static");
    const [text, data, none] = await Promise.all([
      cli.print("profile", "--tag", "dora"),
      cli.read("profile", "--tag", "dora", "--query", "figs"),
      cli.print("profile", "--tag", "nothing"),
    ]);
    expect(text).toMatch(/Static Memories.*\n\s+• Dora likes figs/);
    expect(data.searchResults.total).toBe(1);
    expect(none).toContain("No memories found for this tag.");
  });
});

describe("container tags", () => {
  trial.tries(
    ["tags create", "tags info", "tags list", "tags context"],
    "create, show and describe container tags",
    async () => {
      expect(await cli.print("tags", "create", "atlas", "--name", "Atlas")).toBe(
        "✓ Created container tag atlas (Atlas)",
      );
      expect(await cli.print("tags", "context", "atlas", "--set", "Maps of the coast.")).toContain("Updated context");
      expect(await cli.print("tags", "context", "atlas")).toContain("Maps of the coast.");
      expect(await cli.print("tags", "context", "atlas", "--clear")).toContain("Cleared context");
      const [info, list, missing] = await Promise.all([
        cli.print("tags", "info", "work"),
        cli.print("tags", "list"),
        cli.refuse("tags", "info", "nothing"),
      ]);
      expect(info).toMatch(/Documents:\s+[1-9]/);
      expect(list).toMatch(/\bwork\s+[1-9]\s+[1-9]\s+\S+/);
      expect(list).toMatch(/\batlas\s+0\s+0/);
      expect(missing.code).toBe(NOT_FOUND);
    },
  );

  trial.tries(
    ["tags merge", "tags delete"],
    "merge a container tag into another, and delete it with its contents",
    async () => {
      await cli.print("add", "A lighthouse on the cliff.", "--tag", "coast");
      await service.settle();
      expect(await cli.print("tags", "merge", "coast", "--into", "atlas")).toMatch(/^✓ Merged coast into atlas/);
      await service.settle();
      expect(await cli.print("tags", "info", "atlas")).toMatch(/Documents:\s+1\b/);
      expect((await cli.refuse("tags", "info", "coast")).code).toBe(NOT_FOUND);
      expect(await cli.print("tags", "delete", "atlas", "--yes")).toContain("Deleted container tag atlas");
      expect((await cli.refuse("tags", "delete", "atlas", "--yes")).code).toBe(NOT_FOUND);
    },
  );
});

describe("the organisation", () => {
  trial.tries(["status", "logs"], "count stored data and requests", async () => {
    const [status, data, logs, errors] = await Promise.all([
      cli.print("status"),
      cli.read("status", "--period", "24h"),
      cli.print("logs", "list", "--limit", "5"),
      cli.read("logs", "list", "--status", "error", "--period", "all"),
    ]);
    expect(await cli.print("logs")).toContain("total requests");
    expect(status).toMatch(/Documents:\s+[1-9]/);
    expect(status).toMatch(/Searches:\s+[1-9]/);
    expect(data).toMatchObject({ totalMemories: expect.any(Number), totalContainerTags: expect.any(Number) });
    expect(logs).toMatch(/Page 1 of \d+ \(\d+ total requests\)/);
    expect(errors.logs.length).toBeGreaterThan(0);
    for (const log of errors.logs) expect(log.statusCode).toBeGreaterThanOrEqual(400);
    const { id } = errors.logs[0];
    expect(await cli.read("logs", "get", id)).toMatchObject({
      id,
      createdAt: expect.any(String),
      type: expect.any(String),
    });
  });

  trial.tries(
    ["billing", "billing usage", "billing invoices"],
    "show a plan without limits, and no invoices",
    async () => {
      const [plan, usage, invoices] = await Promise.all([
        cli.print("billing"),
        cli.print("billing", "usage"),
        cli.print("billing", "invoices"),
      ]);
      expect(plan).toMatch(/Plan:\s+\w+/);
      expect(usage).toContain("unlimited");
      expect(invoices).toBe("No invoices found.");
    },
  );

  trial.tries(
    ["team list", "team invitations", "team invite", "team remove", "team role"],
    "show a single owner, and refuse changes",
    async () => {
      const [members, data, invitations, ...refusals] = await Promise.all([
        cli.print("team", "list"),
        cli.read("team", "list"),
        cli.print("team", "invitations"),
        cli.refuse("team", "invite", "ada@example.com"),
        cli.refuse("team", "remove", "member_1", "--yes"),
        cli.refuse("team", "role", "member_1", "admin"),
      ]);
      expect(members).toMatch(/owner/i);
      expect(members).not.toMatch(/undefined|Invalid Date/);
      expect(data.members).toHaveLength(1);
      expect(invitations).toBe("No pending invitations.");
      for (const { code, message } of refusals) {
        expect([FAILED, FORBIDDEN, NOT_FOUND]).toContain(code);
        expect(message).not.toContain("does not serve");
      }
    },
  );

  trial.tries(
    ["connectors list", "connectors sync", "connectors history", "connectors disconnect", "connectors resources"],
    "report that there is no such connection",
    async () => {
      expect(await cli.print("connectors", "list")).toBe("No connectors found.");
      const refusals = await Promise.all(
        [["sync"], ["history"], ["disconnect", "--yes"], ["resources"]].map(([command = "", ...more]) =>
          cli.refuse("connectors", command, "nobody", ...more),
        ),
      );
      for (const { code, message } of refusals) {
        expect([FAILED, NOT_FOUND]).toContain(code);
        expect(message).not.toContain("does not serve");
      }
    },
  );
});

describe("connectors", () => {
  let github: ScriptedGithub;
  let other: ClientService;
  let theirs: SupermemoryCli;
  beforeAll(async () => {
    github = await startGithub();
    await github.put("README.md", "# Farm\n\nForty pear trees stand behind the house.");
    other = await openClientService({ settings: { ...ONLINE, RECOLLECT_PROVIDER_URLS: `github=${github.url}` } });
    const app = { githubClientId: "client", githubClientSecret: "secret" };
    await other.rest.core.updateSettings({ actor: other.rest.actor }, app);
    theirs = await openSupermemoryCli(other);
  });
  afterAll(async () => {
    await theirs.close();
    await other.close();
    await github.close();
  });

  /** Signs in at the address that the command prints, as a browser would, and returns. */
  async function browse(link: URL): Promise<void> {
    const back = new URL(link.searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("code", "good");
    back.searchParams.set("state", link.searchParams.get("state") ?? "");
    await fetch(back);
  }

  trial.tries(
    ["connectors connect", "connectors list", "connectors resources", "connectors sync", "connectors history"],
    "connects to GitHub, lists and syncs what is chosen, and disconnects",
    async () => {
      let visit: Promise<void> | undefined;
      const seen = (stdout: string) => {
        const link = /http\S+\/login\/oauth\/authorize\S+/.exec(stdout)?.[0];
        if (link !== undefined) visit ??= browse(new URL(link));
      };
      const connected = await theirs.run(["connectors", "connect", "github", "--no-browser", ...TAG], { seen });
      await visit;
      expect(connected).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("github connected!") });
      const [{ id }] = await theirs.read("connectors", "list");
      expect(await theirs.print("connectors", "resources", id)).toContain("mia/farm");
      expect((await theirs.refuse("connectors", "sync", id)).message).toContain("Nothing has been chosen");
      const { actor, core } = other.rest;
      const { resources } = await core.listConnectionResources({ actor }, { id });
      await core.configureConnection({ actor }, { id, resources });
      await other.settle();
      expect(await theirs.print("connectors", "sync", id)).toContain("Sync started");
      await other.settle();
      expect(await theirs.read("connectors", "history", id)).toMatchObject([
        { status: "done", triggerType: "manual", itemsFailed: 0 },
        { status: "done", itemsProcessed: 1 },
      ]);
      expect(await theirs.print("connectors", "disconnect", id, "--yes")).toContain("Disconnected");
      await other.settle();
      expect(await theirs.read("connectors", "list")).toEqual([]);
    },
  );
});

describe("keys and plugins", () => {
  trial.tries(
    ["keys create", "keys list", "keys toggle", "keys revoke"],
    "create, list, toggle and revoke keys",
    async () => {
      expect(await cli.print("keys", "create", "--name", "laptop")).toMatch(
        /Created API key laptop[^]*sm_\w+[^]*Scope:\s+full/,
      );
      const made = await cli.read(
        "keys",
        "create",
        "--name",
        "phone",
        "--permission",
        "read",
        "--tag",
        "work,mia",
        "--expires",
        "30",
      );
      expect(made).toMatchObject({
        permission: "read",
        containerTags: ["work", "mia"],
        key: expect.stringMatching(/^sm_/),
      });
      const list = await cli.print("keys", "list");
      expect(list).toMatch(/laptop\s+full\s+write/);
      expect(list).toMatch(/phone\s+scoped \(work, mia\)\s+read/);
      expect(list).not.toContain("Invalid Date");
      const asPhone = (...args: string[]) => cli.run(args, { environment: { SUPERMEMORY_API_KEY: made.key } });
      expect((await asPhone("search", "ferry", "--tag", "work")).code).toBe(0);
      expect((await asPhone("add", "No.", "--tag", "work")).code).toBe(FORBIDDEN);
      expect(await cli.read("keys", "toggle", made.id)).toEqual({ enabled: false });
      expect((await asPhone("search", "ferry", "--tag", "work")).code).toBe(AUTH_REQUIRED);
      expect(await cli.print("keys", "toggle", made.id)).toMatch(/enabled/i);
      expect(await cli.print("keys", "revoke", made.id, "--yes")).toContain("Revoked");
      expect((await asPhone("search", "ferry", "--tag", "work")).code).toBe(AUTH_REQUIRED);
      expect((await cli.refuse("keys", "revoke", made.id, "--yes")).code).toBe(NOT_FOUND);
    },
  );

  trial.tries(
    ["plugins connect", "plugins list", "plugins status", "plugins revoke"],
    "connect plugins with their own key",
    async () => {
      expect(await cli.print("plugins", "list")).toContain("No plugins connected.");
      expect(await cli.print("plugins", "connect", "codex", "--auto-configure")).toMatch(
        /Connected plugin codex[^]*sm_\w+/,
      );
      expect(await cli.print("plugins", "list")).toMatch(/codex\s+sm_/);
      expect(await cli.print("plugins", "status")).toMatch(/Plugin:\s+codex/);
      expect(await cli.print("plugins", "revoke", "codex", "--yes")).toContain("Revoked API key for plugin codex");
      expect((await cli.refuse("plugins", "revoke", "codex", "--yes")).error).toBe("not_found");
    },
  );

  const credentials = async (...path: string[]) =>
    JSON.parse(await readFile(join(cli.home, ...path, "credentials.json"), "utf8")) as { apiKey: string };

  trial.tries("login", "asks in the browser, and stores the key that the owner approves", async () => {
    const { code, stdout } = await approveInBrowser(["login", "--no-browser"], "approve");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Organization: Recollect") });
    const { apiKey, ...kept } = await credentials(".supermemory");
    expect(kept).toMatchObject({ method: "browser", orgId: service.rest.actor.organizationId });
    const environment = { SUPERMEMORY_API_KEY: undefined };
    expect((await cli.run(["whoami"], { environment })).code).toBe(0);
    expect((await service.rest.core.listKeys({ actor: service.rest.actor })).keys).toContainEqual(
      expect.objectContaining({ kind: "agent", client: "cli", hint: apiKey.slice(-4) }),
    );
    expect((await approveInBrowser(["login", "--no-browser"], "decline")).code).toBe(AUTH_REQUIRED);
    expect((await credentials(".supermemory")).apiKey).toBe(apiKey);
  });

  trial.tries("plugin login", "connects every installed plugin with one approval", async () => {
    const plugin = join(cli.home, ".cursor/plugins/local/cursor-supermemory/.cursor-plugin/plugin.json");
    const codex = join(cli.home, ".codex");
    const skills = ["forget", "login", "save", "search"].map((skill) =>
      join(codex, `skills/supermemory-${skill}/SKILL.md`),
    );
    for (const file of [plugin, join(codex, "supermemory/recall.js"), join(codex, "supermemory/flush.js"), ...skills]) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, "{}");
    }
    const { code, stdout } = await approveInBrowser(["plugin", "login", "--all", "--no-browser"], "approve");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("credentials saved to") });
    const keys = [await credentials(".supermemory-cursor"), await credentials(".codex/supermemory")];
    expect(new Set(keys.map(({ apiKey }) => apiKey)).size).toBe(2);
    for (const { apiKey } of keys)
      expect((await cli.run(["whoami"], { environment: { SUPERMEMORY_API_KEY: apiKey } })).code).toBe(0);
    const declined = await approveInBrowser(["plugin", "login", "--all", "--no-browser"], "decline");
    expect(declined).toMatchObject({ code: FAILED, stdout: expect.stringContaining("The owner declined.") });
  });
});

/** Runs a command that prints the address of a page and waits, and submits the owner's answer there. */
async function approveInBrowser(args: readonly string[], decision: "approve" | "decline") {
  const browser = openBrowser(service.rest, { host: new URL(service.url).host });
  await browser.signIn();
  let answered: Promise<unknown> | undefined;
  const outcome = await cli.run(args, {
    environment: { SUPERMEMORY_API_KEY: undefined, SUPERMEMORY_CONSOLE_URL: service.url },
    seen(stdout) {
      const page = /http:\/\/\S+\/auth\/\S+(?=\s)/.exec(stdout)?.[0];
      if (page !== undefined) answered ??= answer(browser, page, decision);
    },
  });
  await answered;
  return outcome;
}

async function answer(browser: OwnerBrowser, page: string, decision: string): Promise<void> {
  const { pathname, search } = new URL(page);
  const choice = { containers: "all", permission: "write", expires: "", decision };
  const { location } = await browser.fill(pathname + search, choice);
  await (await fetch(location)).text();
}

/** Commands that install programs. */
const LEFT_OUT = ["plugin", "plugin uninstall"];

trial.leavesNothingOut(async () => {
  const commands = await commandsOf(cli);
  expect(commands).toEqual(expect.arrayContaining(LEFT_OUT));
  return commands.filter((command) => !LEFT_OUT.includes(command));
});
trial.isInTable("Not tried: `plugin` and `plugin uninstall`, which install and remove programs");
