import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import {
  environmentFor,
  PROGRAM,
  runProgram,
  startServe,
  traces,
  withDataDirectory,
} from "../support/recollect-process.js";

const SECRET_KEY = "sm_acme42_0123456789abcdefghij";

/** Every file below a folder that other users can read or write, except in folders closed to them. */
async function openFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isOpen = ((await stat(path)).mode & 0o077) !== 0;
    if (entry.isDirectory()) {
      if (isOpen) found.push(`${path}/`, ...(await openFiles(path)));
    } else if (isOpen) found.push(path);
  }
  return found;
}

async function upload(url: string): Promise<void> {
  const body = new FormData();
  body.set("file", new File(["The lighthouse keeper is called Oskar."], "note.txt", { type: "text/plain" }));
  const answer = await fetch(`${url}/v3/documents/file`, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${SECRET_KEY}` },
  });
  expect(answer.ok).toBe(true);
}

describe("the files of a data folder", () => {
  test("are readable by this user only, whatever the folder's mode and the umask", () =>
    withDataDirectory(async (data) => {
      await chmod(data, 0o755);
      const before = process.umask(0o000);
      const service = await startServe(data, { RECOLLECT_API_KEY: SECRET_KEY }).finally(() => process.umask(before));
      try {
        await upload(service.url);
        expect(await readdir(data)).toEqual(
          expect.arrayContaining(["files", "owner.lock", "recollect.db", "recollect.db-shm", "recollect.db-wal"]),
        );
        expect(await openFiles(data)).toEqual([]);
        const { stdout } = await runProgram(data, ["doctor", "--json"]);
        const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
        const folder = checks.find(({ name }) => name === "folder");
        expect(folder).toMatchObject({ ok: true, detail: expect.stringContaining(`chmod 700 ${data}`) as string });
      } finally {
        await service.stop();
      }
      expect(await openFiles(data)).toEqual([]);
    }));

  test("are made private at the next start if an earlier version left them open", () =>
    withDataDirectory(async (data) => {
      expect((await runProgram(data, ["add", "The lighthouse keeper is called Oskar."])).code).toBe(0);
      await chmod(join(data, "recollect.db"), 0o644);
      expect((await runProgram(data, ["status"])).code).toBe(0);
      expect(await openFiles(data)).toEqual([]);
    }));
});

describe("a folder that other users can write to", () => {
  test("is refused with instructions, in every mode, until it is made private", () =>
    withDataDirectory(async (data) => {
      const strange = JSON.stringify({ url: "http://127.0.0.1:9", pid: 1, version: "0.0.0", token: "t" });
      await writeFile(join(data, "service.json"), strange);
      for (const mode of [0o777, 0o1777, 0o775]) {
        await chmod(data, mode);
        const { code, stderr } = await runProgram(data, ["add", "The lighthouse keeper is called Oskar."]);
        expect([mode, code]).toEqual([mode, 1]);
        expect(stderr).toContain(`chmod 700 ${data}`);
        expect(await readdir(data)).toEqual(["service.json"]);
      }
      await chmod(data, 0o700);
      expect((await runProgram(data, ["add", "The lighthouse keeper is called Oskar."])).code).toBe(0);
      expect(traces(data)).toEqual([]);
    }));
});

describe("the first key", () => {
  test("is printed without a terminal only on request, and never if it was supplied", () =>
    withDataDirectory(async (parent) => {
      const first = async (name: string, args: string[], extra: Record<string, string> = {}): Promise<string> => {
        const data = join(parent, name);
        const service = promisify(execFile)(process.execPath, [PROGRAM, "serve", "--port", "0", ...args], {
          env: environmentFor(data, extra),
        });
        let printed = "";
        for (const stream of [service.child.stdout, service.child.stderr])
          stream?.on("data", (text: string) => {
            printed += text;
            if (/is running[^]*Try:/.test(printed)) service.child.kill("SIGTERM");
          });
        const { stdout, stderr } = await service;
        return stdout + stderr;
      };
      const silent = await first("silent", []);
      expect(silent).not.toMatch(/sm_\w+/);
      expect(silent).toContain("keys create");
      expect(await first("asked", ["--show-key"])).toMatch(/API key +sm_\w{20,}/);
      const given = await first("given", ["--show-key"], { RECOLLECT_API_KEY: SECRET_KEY });
      expect(given).not.toContain(SECRET_KEY);
      expect(given).not.toContain("API key");
    }));

  test("is shown once on a terminal", async () =>
    withDataDirectory(async (data) => {
      const start = `${process.execPath} ${PROGRAM} serve --port 0`;
      const onTerminal = async (): Promise<string> => {
        const terminal = spawn("script", ["-qec", start, "/dev/null"], { env: environmentFor(data) });
        let printed = "";
        terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
          printed += text;
          if (/is running[^]*Try:/.test(printed)) terminal.kill("SIGINT");
        });
        await once(terminal, "close");
        return printed;
      };
      expect(await onTerminal()).toMatch(/is running[^]*API key[^]*sm_\w{20,}/);
      const second = await onTerminal();
      expect(second).toContain("is running");
      expect(second).not.toMatch(/sm_\w{20,}/);
    }));
});
