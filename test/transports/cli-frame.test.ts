import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { ServiceInfo, Starters } from "../../src/transports/cli/index.js";
import { untilInterrupted } from "../../src/transports/cli/interrupt.js";
import { openCore } from "../support/open-core.js";
import { parseAnswer, runCommand, startersFor, TEST_VERSION, type CommandOptions } from "../support/command-line.js";

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "recollect-cli-"));
});

afterEach(async () => {
  await rm(data, { recursive: true, force: true });
});

const run = (argv: readonly string[], options?: CommandOptions) => runCommand(data, argv, options);
const refusingDoor = (error: Error) => ({ starters: { openDoor: () => Promise.reject(error) } });

const COMMANDS = [
  ["serve"],
  ["mcp"],
  ["add"],
  ["search"],
  ["profile"],
  ["forget"],
  ["history"],
  ["undo"],
  ["keys"],
  ["keys", "create"],
  ["keys", "list"],
  ["keys", "revoke"],
  ["status"],
  ["doctor"],
  ["try"],
];

describe("every command", () => {
  test.each(COMMANDS.map((argv) => ({ name: argv.join(" "), argv })))(
    "$name prints its usage with --help",
    async ({ name, argv }) => {
      const result = await run([...argv, "--help"]);
      expect(result).toMatchObject({ code: 0, stderr: "" });
      expect(result.stdout).toContain(`Usage: recollect ${name} `);
      expect(result.stdout).toContain("--json");
      expect(result.stdout).toContain("--data-dir");
      if (name !== "keys") expect(result.stdout).toMatch(/\nExamples:\n {2}\S/);
    },
  );

  test("is listed in the program's help, and --version prints the version", async () => {
    const { stdout } = await run(["--help"]);
    for (const [name] of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    expect(await run(["--version"])).toEqual({ code: 0, stdout: `${TEST_VERSION}\n`, stderr: "" });
    expect(await run(["help", "add"])).toMatchObject({ code: 0, stdout: expect.stringContaining("recollect add") });
  });

  test.each(
    [
      ["status"],
      ["search", "x"],
      ["profile"],
      ["history", "x"],
      ["forget", "x"],
      ["undo", "x"],
      ["keys", "list"],
      ["keys", "create"],
      ["grants"],
      ["audit"],
      ["login", "--list"],
      ["embeddings"],
      ["reprocess", "--all"],
      ["purge", "--container", "mia", "--yes"],
      ["doctor"],
    ].map((argv) => ({ name: argv.join(" "), argv })),
  )("$name creates no data folder where there is none", async ({ argv }) => {
    const doors: (boolean | undefined)[] = [];
    const openDoor: Starters["openDoor"] = ({ begins }) => {
      doors.push(begins);
      return Promise.reject(new AppError("not_found", "There is no memory."));
    };
    const folder = join(data, "tpyo");
    const result = await run(["--data-dir", folder, ...argv], { starters: { openDoor } });
    expect(result).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("There is no memory.") });
    expect(doors.map((begins) => begins === true)).toEqual([false]);
    expect(existsSync(folder)).toBe(false);
  });

  test("shows in its examples how the user starts the program", async () => {
    const { stdout } = await run(["mcp", "--help"], { io: { programName: "node /opt/recollect/main.js" } });
    expect(stdout).toContain("claude mcp add recollect -- node /opt/recollect/main.js mcp\n");
    expect(stdout).toContain('{"command":"node","args":["/opt/recollect/main.js","mcp"]}');
  });

  test("accepts --data-dir before and after its name", async () => {
    const before = join(data, "before");
    const after = join(data, "after");
    expect(await run(["--data-dir", before, "status", "--json"])).toMatchObject({ code: 0 });
    expect(await run(["status", "--json", "--data-dir", after])).toMatchObject({ code: 0 });
    expect((await readdir(data)).toSorted()).toEqual(["after", "before"]);
  });

  test("rejects an empty --data-dir instead of using the default one", async () => {
    expect(await run(["status", "--data-dir", ""])).toMatchObject({ code: 2, stdout: "" });
    expect(await readdir(data)).toEqual([]);
  });
});

describe("usage errors", () => {
  test.each([
    [["serch", "x"], "unknown command 'serch'\n(Did you mean search?)", "recollect --help"],
    [["search", "x", "--frobnicate"], "unknown option '--frobnicate'", "recollect search --help"],
    [["keys", "revoke"], "missing required argument 'id'", "recollect keys revoke --help"],
    [["serve", "--port", "70000"], "whole number from 0 to 65535", "recollect serve --help"],
    [["status", "extra"], "too many arguments", "recollect status --help"],
  ])("%j is reported with the command that shows its help", async (argv, message, help) => {
    expect(await run(argv)).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^error: /) && expect.stringContaining(message),
    });
    expect((await run(argv)).stderr).toContain(`Run \`${help}\` for usage.\n`);
  });

  test("a missing command prints the help on standard error", async () => {
    const result = await run([]);
    expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Commands:") });
  });

  test.each([[["serch", "--json"]], [["--json"]], [["add", "--json"]], [["search", "--json", "x", "--limit", "0"]]])(
    "%j is reported as one line of JSON on standard error",
    async (argv) => {
      const result = await run(argv);
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(JSON.parse(result.stderr)).toEqual({ error: "usage", message: expect.any(String) });
    },
  );
});

describe("an error", () => {
  test("of the core exits with 1 and prints its own message", async () => {
    const options = refusingDoor(new AppError("storage_full", "The disk is full. Free some space."));
    expect(await run(["status"], options)).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: The disk is full. Free some space.\n",
    });
    const { stderr } = await run(["status", "--json"], options);
    expect(JSON.parse(stderr)).toEqual({ error: "storage_full", message: "The disk is full. Free some space." });
  });

  test("of a setting is a usage error", async () => {
    const error = Object.assign(new Error("RECOLLECT_PORT must be a whole number."), { name: "ConfigError" });
    expect(await run(["status"], refusingDoor(error))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("error: RECOLLECT_PORT must be a whole number.\n"),
    });
  });

  test("that is unexpected shows its stack at log level debug only", async () => {
    const options = refusingDoor(new TypeError("x is not a function"));
    const plain = await run(["status"], options);
    expect(plain).toMatchObject({ code: 1, stdout: "" });
    expect(plain.stderr).toContain("x is not a function");
    expect(plain.stderr).not.toContain("    at ");
    expect((await run(["status"], { ...options, io: { isDebug: true } })).stderr).toContain("    at ");
  });

  test("still closes the store", async () => {
    let isClosed = false;
    const openDoor: Starters["openDoor"] = async (options) => {
      const door = await startersFor(data).openDoor(options);
      const close = async () => {
        await door.close();
        isClosed = true;
      };
      return { ...door, close };
    };
    expect(await run(["forget", "no-such-id"], { starters: { openDoor } })).toMatchObject({ code: 1 });
    expect(isClosed).toBe(true);
  });
});

describe("work interrupted by a signal", () => {
  test("ends immediately when the signal came before it started", async () => {
    const work = untilInterrupted(() => new Promise(() => undefined), Promise.resolve("SIGTERM"));
    await expect(work).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("Interrupted (SIGTERM)"),
    });
  });
});

describe("standard output", () => {
  const failingWith = (code: string) =>
    new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error(`write ${code}`), { code }));
      },
    });

  test("whose reader is gone, as in `| head`, is not a failure", async () => {
    expect(await run(["status"], { io: { stdout: failingWith("EPIPE") } })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("that cannot be written is a failure", async () => {
    const result = await run(["status"], { io: { stdout: failingWith("ENOSPC") } });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error: Could not write to standard output"),
    });
  });
});

describe("recollect serve", () => {
  const info: ServiceInfo = {
    url: "http://127.0.0.1:4567",
    dataDirectory: "/home/maya/.recollect",
    isNew: false,
    firstKey: "sm_org_secret",
    isOwner: true,
    async status() {
      const opened = await openCore({ dataDirectory: data });
      try {
        return await opened.core.status({ actor: opened.actor });
      } finally {
        await opened.close();
      }
    },
    ended: Promise.resolve(),
  };
  const serving = (change: Partial<ServiceInfo> = {}) => {
    const settings: Readonly<Record<string, string>>[] = [];
    const serve = (given: Readonly<Record<string, string>>) => {
      settings.push(given);
      return Promise.resolve({ ...info, ...change });
    };
    return { settings, options: { starters: { serve } } };
  };

  test("passes on host, port and folder, and reports the configuration on standard error", async () => {
    const { settings, options } = serving();
    const argv = ["serve", "--host", "0.0.0.0", "--port", "0", "--show-key", "--data-dir", data];
    const result = await run(argv, options);
    expect(settings).toEqual([{ RECOLLECT_HOST: "0.0.0.0", RECOLLECT_PORT: "0", RECOLLECT_DATA_DIR: data }]);
    expect(result).toMatchObject({ code: 0, stdout: "" });
    for (const part of [info.url, info.dataDirectory, "sm_org_secret  (shown only once)", "embedder      builtin"])
      expect(result.stderr).toContain(part);
    for (const name of ["llm", "vector index", "extractor"])
      expect(result.stderr).toMatch(new RegExp(`^${name} `, "m"));
    expect(result.stderr).toContain(`Try:  recollect --data-dir ${data} add`);
  });

  test("hides the key outside a terminal unless asked to show it, and says how to create one", async () => {
    for (const argv of [["serve"], ["serve", "--json"]]) {
      const { stdout, stderr } = await run(argv, serving().options);
      expect(stdout + stderr).not.toContain("sm_org_secret");
      expect(stdout + stderr).toContain("recollect keys create");
    }
    const { stderr } = await run(["serve"], { ...serving().options, io: { isTerminal: true } });
    expect(stderr).toContain("sm_org_secret");
  });

  test("draws a box of even width on a terminal", async () => {
    const { stderr } = await run(["serve"], { ...serving().options, io: { isTerminal: true } });
    const lines = stripVTControlCharacters(stderr).trimEnd().split("\n");
    expect(lines[0]).toMatch(/^┌─+┐$/);
    expect(new Set(lines.map((line) => Array.from(line).length)).size).toBe(1);
  });

  test("shows no key on a later start, and says when another process owns the folder", async () => {
    const { stderr } = await run(["serve"], serving({ firstKey: null, isOwner: false }).options);
    expect(stderr).not.toContain("API key");
    expect(stderr).toContain("Another process owns the data folder");
  });

  test("says why apps cannot sign in", async () => {
    const objectionToApps = "It is open. Set RECOLLECT_PUBLIC_URL.";
    const { stderr } = await run(["serve"], serving({ objectionToApps }).options);
    expect(stderr).toContain("Apps cannot sign in with OAuth; keys work.\nIt is open.\nSet RECOLLECT_PUBLIC_URL.\n");
  });

  test("prints one line of JSON when it is ready", async () => {
    const result = await run(["serve", "--json", "--show-key"], serving().options);
    expect(result.stderr).toBe("");
    expect(parseAnswer(result)).toMatchObject({
      url: info.url,
      dataDirectory: info.dataDirectory,
      apiKey: "sm_org_secret",
      isOwner: true,
      version: TEST_VERSION,
      embedder: "builtin",
    });
  });

  test("shows a newly created key even when the status cannot be read", async () => {
    const status = () => Promise.reject(new AppError("unavailable", "Nobody answers."));
    const result = await run(["serve", "--show-key"], serving({ status }).options);
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("sm_org_secret") });
    expect(result.stderr).toContain("The status could not be read: Nobody answers.");
  });
});

describe("recollect mcp", () => {
  test("hands over to the service and writes nothing itself", async () => {
    const settings: unknown[] = [];
    const serveMcp = (given: unknown) => Promise.resolve(void settings.push(given));
    const result = await run(["mcp", "--data-dir", "/data"], { starters: { serveMcp } });
    expect(result).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(settings).toEqual([{ RECOLLECT_DATA_DIR: "/data" }]);
  });
});

describe("recollect try", () => {
  interface Tour {
    readonly ok: boolean;
    readonly steps: readonly { name: string; ok: boolean; command: string; result: string[] }[];
  }

  test("demonstrates add, recall, update, profile and forget in a folder that it removes afterwards", async () => {
    const folders: string[] = [];
    const openDoor: Starters["openDoor"] = (options) => {
      folders.push(options.settings["RECOLLECT_DATA_DIR"] ?? "");
      return startersFor(data).openDoor(options);
    };
    const { code, stdout } = await run(["try"], { starters: { openDoor } });
    expect(code).toBe(0);
    for (const part of ["1. Add", "2. Recall", "3. Update", "4. Profile", "5. Forget", "User lives in Porto (replaces"])
      expect(stdout).toContain(part);
    expect(folders).toEqual([expect.stringContaining(join(tmpdir(), "recollect-try-"))]);
    await expect(readdir(folders[0] ?? "")).rejects.toThrow("ENOENT");
    expect(await readdir(data)).toEqual([]);
  });

  test("prints its steps as JSON, each with its actual result", async () => {
    const tour = parseAnswer<Tour>(await run(["try", "--json"]));
    expect(tour.ok).toBe(true);
    expect(tour.steps.map(({ name, ok }) => [name, ok])).toEqual([
      ["add", true],
      ["recall", true],
      ["update", true],
      ["profile", true],
      ["forget", true],
    ]);
  });
});
