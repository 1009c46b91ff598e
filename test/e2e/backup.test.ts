import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePipe } from "../support/named-pipe.js";
import { runProgram, startProgram, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

const FACT = "The lighthouse keeper is called Oskar.";

interface Folders {
  readonly data: string;
  readonly target: string;
  readonly parent: string;
}

function withFolders(work: (folders: Folders) => Promise<void>) {
  return withDataDirectory((parent) =>
    work({ parent, data: join(parent, "data"), target: join(parent, "backups", "monday") }),
  );
}

const back = async ({ data, target }: Folders) => runProgram(data, ["backup", target, "--json"]);

/** A folder with one fact, which no program has open; tests use copies of it. */
let original: string;
beforeAll(async () => {
  original = await mkdtemp(join(tmpdir(), "recollect-original-"));
  expect((await runProgram(original, ["add", "--text", FACT])).code).toBe(0);
}, 60_000);
afterAll(() => rm(original, { recursive: true }));
const search = async (data: string, words: string) => (await runProgram(data, ["search", words])).stdout;

async function upload(url: string, text: string): Promise<void> {
  const form = new FormData();
  form.append("file", new File([text], "tower.txt", { type: "text/plain" }));
  const answer = await fetch(new URL("/v3/documents/file", url), {
    method: "POST",
    body: form,
    headers: { prefer: "wait=20" },
  });
  expect(answer.ok).toBe(true);
}

async function documentsIn(data: string): Promise<number> {
  const { stdout } = await runProgram(data, ["status", "--json"]);
  return (JSON.parse(stdout) as { store: { documents: number } }).store.documents;
}

test(
  "a backup of a folder that is not in use is a data folder with the same answers",
  () =>
    withFolders(async (folders) => {
      await cp(original, folders.data, { recursive: true });
      const { code, stdout } = await back(folders);
      expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({ code: 0, folder: folders.target, files: 0 });
      expect(await readdir(join(folders.target, ".."))).toEqual(["monday"]);
      expect(await search(folders.target, "lighthouse keeper")).toContain("Oskar");
      const diagnosis = await runProgram(folders.target, ["doctor"], { RECOLLECT_OFFLINE: "1" });
      expect(diagnosis.stdout).toMatch(/ok +store/);
    }),
  60_000,
);

test(
  "a backup names the key file that it does not contain, if there is one",
  () =>
    withFolders(async (folders) => {
      await cp(original, folders.data, { recursive: true });
      const plain = await runProgram(folders.data, ["backup", `${folders.target}-plain`]);
      expect({ code: plain.code, names: plain.stdout.includes("secret.key") }).toEqual({ code: 0, names: false });
      await writeFile(join(folders.data, "secret.key"), `${"k".repeat(43)}\n`);
      const { code, stdout } = await runProgram(folders.data, ["backup", folders.target]);
      expect({ code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(join(folders.data, "secret.key")),
      });
      expect(existsSync(join(folders.target, "secret.key"))).toBe(false);
    }),
  60_000,
);

test(
  "a backup during writes has everything acknowledged before it started, and uploaded files",
  () =>
    withFolders(async (folders) => {
      const service = await startServe(folders.data);
      let acknowledged = 0;
      let isOver = false;
      const write = async () => {
        for (let at = 0; !isOver; at += 1) {
          const body = JSON.stringify({ content: `Ship ${at} passed the lighthouse.` });
          const answer = await fetch(new URL("/v3/documents", service.url), {
            method: "POST",
            body,
            headers: { "content-type": "application/json" },
          });
          if (answer.ok) acknowledged += 1;
        }
      };
      try {
        await upload(service.url, "The tower has ninety steps.");
        const writing = write();
        while (acknowledged < 100) await new Promise((resolve) => setTimeout(resolve, 5));
        const before = acknowledged;
        const { code, stdout } = await back(folders);
        isOver = true;
        await writing;
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ files: 1 });
        expect(await documentsIn(folders.target)).toBeGreaterThanOrEqual(before + 1);
        const [name] = await readdir(join(folders.target, "files"));
        expect(await readFile(join(folders.target, "files", name ?? ""), "utf8")).toBe("The tower has ninety steps.");
      } finally {
        isOver = true;
        await service.stop();
      }
    }),
  60_000,
);

test.skipIf(process.platform === "win32")(
  "a backup is readable by its user only",
  () =>
    withFolders(async (folders) => {
      await cp(original, folders.data, { recursive: true });
      await back(folders);
      expect((await stat(folders.target)).mode & 0o777).toBe(0o700);
      const names = await readdir(folders.target);
      expect(names).toContain("recollect.db");
      for (const name of names) expect((await stat(join(folders.target, name))).mode & 0o077, name).toBe(0);
    }),
  60_000,
);

test(
  "refuses a target that is not empty or is inside the data folder, and leaves it unchanged",
  () =>
    withFolders(async (folders) => {
      await cp(original, folders.data, { recursive: true });
      await mkdir(folders.target, { recursive: true });
      await writeFile(join(folders.target, "mine.txt"), "mine");
      expect(await back(folders)).toMatchObject({ code: 1, stderr: expect.stringContaining("is not empty") as string });
      expect(await readdir(folders.target)).toEqual(["mine.txt"]);
      const inside = { ...folders, target: join(folders.data, "backup") };
      expect(await back(inside)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("would be inside the data folder") as string,
      });
      expect(await readdir(folders.data)).not.toContain("backup");
    }),
  60_000,
);

test(
  "refuses to back up a folder without a store",
  () =>
    withFolders(async (folders) => {
      const { code, stderr } = await back(folders);
      expect(code).toBe(1);
      expect(stderr).toContain("There is no memory in");
    }),
  60_000,
);

test(
  "reports a damaged store, and leaves no backup behind",
  () =>
    withFolders(async (folders) => {
      await cp(original, folders.data, { recursive: true });
      const file = join(folders.data, "recollect.db");
      const bytes = await readFile(file);
      await writeFile(file, bytes.subarray(0, bytes.length / 2));
      const { code, stderr } = await back(folders);
      expect(code).toBe(1);
      expect(stderr).toContain("is damaged");
      expect(await readdir(folders.parent)).toEqual(["data"]);
    }),
  60_000,
);

test.skipIf(process.platform === "win32")(
  "a backup killed while it copies leaves no folder under the final name, and can be repeated",
  () =>
    withFolders(async (folders) => {
      await cp(original, folders.data, { recursive: true });
      // Copying a pipe never ends.
      const pipe = join(folders.data, "files", "pipe");
      await mkdir(dirname(pipe), { recursive: true });
      makePipe(pipe);
      const running = startProgram(folders.data, ["backup", folders.target]);
      const drafts = () => readdir(dirname(folders.target)).catch(() => []);
      const [draft] = await waitFor(async () => {
        const names = await drafts();
        return names.length > 0 && names;
      }, "the backup has begun");
      expect(await running.signal("SIGKILL")).toMatchObject({ code: null, signal: "SIGKILL" });
      expect(await drafts()).toEqual([draft]);
      expect(draft).toMatch(/^monday\..+\.unfinished$/);
      await rm(pipe);
      expect(await back(folders)).toMatchObject({ code: 0 });
      expect(await search(folders.target, "lighthouse keeper")).toContain("Oskar");
      expect(await search(folders.data, "lighthouse keeper")).toContain("Oskar");
    }),
  60_000,
);
