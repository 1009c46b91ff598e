import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SignIn } from "../../src/core/types.js";
import { type CommandResult, parseAnswer, runCommand } from "../support/command-line.js";
import { openBrowser } from "../support/owner-browser.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let folder: string;
let rest: OpenedRest;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-login-"));
  rest = await openRest({ dataDirectory: folder });
});
afterEach(async () => {
  await rest.close();
  await rm(folder, { recursive: true });
});

const PASSWORD = "correct horse battery";
const opened: string[] = [];
const starters = {
  runningService: () => Promise.resolve({ url: "http://127.0.0.1:6767" }),
  openInBrowser: (url: string) => Promise.resolve(opened.push(url) > 0),
};
const run = (...argv: string[]) => runCommand(folder, argv, { starters });

describe("login", () => {
  test("prints a link that signs in one browser, and nothing else on standard output", async () => {
    const { code, stdout, stderr } = await run("login");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:6767\/auth\/sign-in\?code=\w{43,}\n$/);
    expect(stderr).toContain("once, within 10 minutes");
    const link = new URL(stdout.trim());
    const browser = openBrowser(rest);
    expect((await browser.fill(link.pathname + link.search, {})).location).toBe("/auth");
    expect((await browser.get("/auth")).status).toBe(200);
  });

  test("opens the link with --open", async () => {
    const { url } = parseAnswer<{ url: string }>(await run("login", "--open", "--json"));
    expect(opened).toEqual([url]);
  });

  test("reports that no service runs, and creates no link", async () => {
    const { code, stdout, stderr } = await runCommand(folder, ["login"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("recollect serve");
  });

  test("lists signed-in browsers, and signs one out", async () => {
    expect((await run("login", "--list")).stdout).toContain("No browser is signed in");
    const browser = openBrowser(rest);
    await browser.signIn();
    const { signIns } = parseAnswer<{ signIns: SignIn[] }>(await run("login", "--list", "--json"));
    expect(signIns).toMatchObject([{ how: "link", client: "Test browser" }]);
    const id = signIns[0]?.id ?? "";
    expect((await run("login", "--list")).stdout).toMatch(new RegExp(`^${id}  Test browser, signed in with a link `));
    expect((await run("login", "--end", id)).stdout).toContain(id);
    expect((await browser.get("/auth")).status).toBe(303);
    expect((await run("login", "--end", id)).code).toBe(1);
  });

  test("refuses options that cannot be combined", async () => {
    expect((await run("login", "--list", "--open")).code).toBe(2);
  });
});

describe("login --device", () => {
  const answerTo = async (decision: string, ...argv: string[]): Promise<CommandResult> => {
    const { url } = await rest.listen();
    const browser = openBrowser(rest);
    await browser.signIn();
    const stderr = new PassThrough();
    let answered: Promise<unknown> | undefined;
    let text = "";
    stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const code = /enter ([A-Z]{4}-[A-Z]{4})/.exec(text)?.[1];
      if (code === undefined) return;
      const choice = { containers: "all", permission: "read", expires: "7", decision };
      answered ??= browser.fill(`/auth/device?user_code=${code}`, choice);
    });
    const result = await runCommand(folder, ["login", "--device", `${url}/`, ...argv], { io: { stderr } });
    await answered;
    return { ...result, stderr: text };
  };

  test("prints the key that the owner grants this machine", { timeout: 30_000 }, async () => {
    const { code, stdout, stderr } = await answerTo("approve", "--client", "codex");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^sm_\S+\n$/) });
    expect(stderr).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/auth\/device on any machine/);
    const { keys } = await rest.core.listKeys({ actor: rest.actor });
    expect(keys).toMatchObject([{ client: "codex", permission: "read", name: expect.stringMatching(/^codex on /) }]);
  });

  test("says that the owner declined", { timeout: 30_000 }, async () => {
    const { code, stdout, stderr } = await answerTo("decline");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("The owner declined.");
  });

  test.each([
    [["--device", "memory.example"], 2, "needs the address of a service"],
    [["--device", "ftp://memory.example"], 2, "needs the address of a service"],
    [["--device", "http://user@127.0.0.1:1"], 2, "needs the address of a service"],
    [["--device", "http://127.0.0.1:1"], 1, "No service answers at http://127.0.0.1:1."],
    [["--client", "codex"], 2, "--client needs --device"],
    [["--device", "http://127.0.0.1:1", "--list"], 2, "choose one of"],
  ])("with %j is refused", async (options, expected, complaint) => {
    const { code, stderr } = await run("login", ...options);
    expect(code).toBe(expected);
    expect(stderr).toContain(complaint);
  });
});

describe("password", () => {
  const isRight = async (secret: string) => (await openBrowser(rest).fill("/auth/sign-in", { secret })).status === 303;
  const type = (...lines: string[]) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(lines.map((line) => `${line}\r`).join(""));
    return runCommand(folder, ["password"], { io: { stdin, isTerminal: true } });
  };

  test("asks twice without showing the password, and signs all browsers out", async () => {
    const browser = openBrowser(rest);
    await browser.signIn();
    const { code, stdout, stderr } = await type(PASSWORD, PASSWORD);
    expect(code).toBe(0);
    expect(stdout).toContain("1 browser was signed out.");
    expect(stdout + stderr).not.toContain("horse");
    expect((await browser.get("/auth")).status).toBe(303);
    expect(await isRight(PASSWORD)).toBe(true);
  });

  test.each([
    ["two passwords that differ", ["correct horse battery", "correct horse batterx"], "do not match"],
    ["a single password", ["correct horse battery"], "no password was entered"],
    ["a password that is too short", ["short", "short"], "at least 12 characters"],
  ])("changes nothing for %s", async (_words, lines, complaint) => {
    const { code, stderr } = await type(...lines);
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
    expect(await rest.core.hasPassword({ actor: rest.actor })).toEqual({ isSet: false });
  });

  test("reads the password from standard input, and removes it again", async () => {
    await runCommand(folder, ["password", "--stdin"], { stdin: `${PASSWORD}\n` });
    expect(await isRight(PASSWORD)).toBe(true);
    expect((await run("password", "--remove")).stdout).toContain("There is no longer a password.");
    expect(await isRight(PASSWORD)).toBe(false);
  });

  test("fails where it cannot prompt, and names --stdin", async () => {
    const { code, stderr } = await run("password");
    expect(code).toBe(2);
    expect(stderr).toContain("--stdin");
  });
});
