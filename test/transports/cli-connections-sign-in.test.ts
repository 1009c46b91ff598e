import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CliIo } from "../../src/transports/cli/index.js";
import { type CommandResult, parseAnswer, runCommand } from "../support/command-line.js";
import { ONLINE } from "../support/connection.js";
import { openCore } from "../support/open-core.js";
import { type ScriptedGoogleDrive, startScriptedGoogleDrive } from "../support/scripted-google-drive.js";

let folder: string;
let drive: ScriptedGoogleDrive;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-connect-"));
  drive = await startScriptedGoogleDrive("good");
});
afterEach(async () => {
  await drive.close();
  await rm(folder, { recursive: true });
});

const settings = () => ({ ...ONLINE, RECOLLECT_PROVIDER_URLS: `google-drive=${drive.url}` });

/** Runs a command; `browse` plays the browser that opens its link. */
function run(
  argv: readonly string[],
  browse: (link: URL) => Promise<void>,
  io: Partial<CliIo> = {},
): Promise<CommandResult> {
  return runCommand(folder, argv, {
    io,
    starters: {
      openDoor: () => openCore({ dataDirectory: folder, settings: settings() }),
      openInBrowser(url) {
        void browse(new URL(url));
        return Promise.resolve(true);
      },
    },
  });
}

const seen: { status: number; text: string }[] = [];

/** Returns from the provider as a browser would. */
async function comeBack(link: URL, brought: Readonly<Record<string, string>>): Promise<void> {
  const back = new URL(link.searchParams.get("redirect_uri") ?? "");
  const query = { state: link.searchParams.get("state") ?? "", ...brought };
  for (const [name, value] of Object.entries(query)) back.searchParams.set(name, value);
  const answer = await fetch(back);
  seen.push({ status: answer.status, text: await answer.text() });
}

const ADD = ["connections", "add", "google-drive", "--client-id", "farm.apps.example"];
const list = async () =>
  parseAnswer<{ connections: { id: string }[] }>(await run(["connections", "list", "--json"], async () => {}));

test("connections add signs in with a browser on this machine, which returns to this machine only", async () => {
  let link: URL | undefined;
  const { code, stdout, stderr } = await run(ADD, async (asked) => {
    link = asked;
    await comeBack(asked, { code: "good" });
  });
  expect([code, stderr]).toEqual([0, expect.stringContaining("connections choose")]);
  expect(link?.searchParams.get("redirect_uri")).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+\/v3\/connections\/auth\/callback\/google-drive$/,
  );
  expect(link?.searchParams.get("code_challenge_method")).toBe("S256");
  expect(seen.at(-1)).toEqual({ status: 200, text: "You are signed in. You can close this page.\n" });
  const id = stdout.trim();
  expect((await list()).connections).toMatchObject([{ id, provider: "google-drive", state: "active" }]);
});

/** A user at a terminal who answers each prompt that ends with a colon. */
function terminal(answers: readonly string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...answers];
  let shown = "";
  const stderr = new Writable({
    write(piece: Buffer, _encoding, done) {
      shown += piece.toString();
      const isAsked = /(?:Client id|input is hidden\)):\s*$/.test(piece.toString());
      if (isAsked) setImmediate(() => stdin.write(`${left.shift() ?? ""}\r`));
      done();
    },
  });
  return { io: { stdin, stderr, isTerminal: true, useColor: false }, shown: () => shown };
}

test("connections add guides a user without an app through registering one, step by step", async () => {
  const { io, shown } = terminal(["my app", "1234-farm.apps.googleusercontent.com", "the secret of the app"]);
  const links: URL[] = [];
  const { code } = await run(
    ["connections", "add", "google-drive"],
    async (link) => {
      links.push(link);
      await comeBack(link, { code: "good" });
    },
    io,
  );
  expect(code).toBe(0);
  expect(shown()).toMatch(
    /1\. Open https:\/\/console\.cloud\.google\.com[^]+enable the Google Drive API[^]+Desktop app/,
  );
  expect(shown()).toContain("That is not a client id. It should look like 1234-abcd.apps.googleusercontent.com.");
  expect(shown()).not.toContain("the secret of the app");
  expect(links[0]?.searchParams.get("client_id")).toBe("1234-farm.apps.googleusercontent.com");
  const again = terminal([]);
  await run(["connections", "add", "google-drive"], (link) => comeBack(link, { code: "good" }), again.io);
  expect(again.shown()).not.toContain("1. Open");
});

test("connections reconnect signs in again in the same way", async () => {
  const { stdout } = await run(ADD, (link) => comeBack(link, { code: "good" }));
  const again = await run(["connections", "reconnect", stdout.trim()], (link) => comeBack(link, { code: "good" }));
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("is signed in again and continues")]);
});

test("a sign-in refuses a callback with an unknown state, and still accepts the right one", async () => {
  const { code } = await run(ADD, async (link) => {
    await comeBack(link, { state: "stranger", code: "good" });
    expect(seen.at(-1)?.text).toContain("No sign-in with google-drive is waiting");
    const { origin } = new URL(link.searchParams.get("redirect_uri") ?? "");
    expect((await fetch(`${origin}/favicon.ico`)).status).toBe(404);
    await comeBack(link, { code: "good" });
  });
  expect(code).toBe(0);
  expect((await list()).connections).toHaveLength(1);
});

test.each([
  [{ error: "access_denied" }, "access_denied"],
  [{ code: "bad" }, "invalid_grant"],
])("a failed sign-in leaves no connection behind: %o", async (brought, reason) => {
  const { code, stderr } = await run(ADD, (link) => comeBack(link, brought as Record<string, string>));
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  expect(seen.at(-1)?.text).toContain(reason);
  const opened = await openCore({ dataDirectory: folder, settings: settings() });
  expect((await opened.core.listConnections({ actor: opened.actor }, {})).connections).toEqual([]);
  await opened.close();
});
