import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { allFilesIn, describeLeftOut, filesIn } from "../../src/lib/folder-files.js";
import { sleep } from "../../src/lib/time.js";
import { makePipe } from "../support/named-pipe.js";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "recollect-files-")));
});
afterEach(() => rm(root, { recursive: true }));

async function put(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(root, name, ".."), { recursive: true });
    await writeFile(join(root, name), "x");
  }
}

/** The files found, by path in the folder, and the folders left out. */
async function found(folder = root) {
  const { files, unruled } = await allFilesIn(folder, new AbortController().signal);
  return { files: files.map((path) => relative(folder, path)), unruled: unruled.map((path) => relative(folder, path)) };
}

test("rules of deeper files and later lines win; a pattern with a slash matches paths", async () => {
  await put("a.log", "kept.log", "deep/b.log", "deep/kept.log", "build/out.md", "deep/build/in.md", "deep/notes/c.md");
  await writeFile(join(root, ".gitignore"), "# comment\n*.log\n!kept.log\n/build/\ndeep/notes/*.md\n");
  await writeFile(join(root, "deep", ".gitignore"), "kept.log\n!b.log\n");
  expect(await found()).toEqual({ files: ["deep/b.log", "deep/build/in.md", "kept.log"], unruled: [] });
});

test("rules of parent folders apply up to the repository's root", async () => {
  await put(".git/HEAD", "part/a.log", "part/b.md");
  await writeFile(join(root, ".gitignore"), "*.log\n");
  expect(await found(join(root, "part"))).toEqual({ files: ["b.md"], unruled: [] });
});

test.each([
  ["too many rules", Array.from({ length: 2_001 }, (_, at) => `${at}`).join("\n")],
  ["a rule that is too long", `*${"a*".repeat(500)}`],
  ["too much text", `# ${"comment ".repeat(10_000)}`],
])("leaves out a whole folder whose .gitignore has %s", async (_, rules) => {
  await put("a.md", "archive/secret.md", "archive/deep/b.md");
  await writeFile(join(root, "archive", ".gitignore"), rules);
  expect(await found()).toEqual({ files: ["a.md"], unruled: ["archive"] });
  await writeFile(join(root, ".gitignore"), rules);
  expect(await found()).toEqual({ files: [], unruled: [""] });
});

test("counts the rules of nested folders together", async () => {
  const rules = Array.from({ length: 1_200 }, (_, at) => `${at}-${"r".repeat(40)}`).join("\n");
  await put("1/2/3/a.md", "b.md");
  for (const place of ["1", "1/2", "1/2/3"]) await writeFile(join(root, place, ".gitignore"), rules);
  expect(await found()).toEqual({ files: ["b.md"], unruled: ["1/2/3"] });
});

test("ignores a .gitignore that is a link or a pipe", async () => {
  await put("linked/a.md", "piped/b.md");
  await put("rules");
  await writeFile(join(root, "rules"), "*.md\n");
  await symlink(join(root, "rules"), join(root, "linked", ".gitignore"));
  if (process.platform !== "win32") makePipe(join(root, "piped", ".gitignore"));
  expect(await found()).toEqual({ files: ["linked/a.md", "piped/b.md", "rules"], unruled: [] });
});

test.each([
  ["many", Array.from({ length: 2_000 }, () => "*z*").join("\n")],
  ["slow", Array.from({ length: 400 }, () => `*${"a".repeat(127)}b*`).join("\n")],
])("matching files against %s rules does not block other work", async (_, rules) => {
  await writeFile(join(root, ".gitignore"), rules);
  for (let at = 0; at < 40; at += 1) await put(`${"a".repeat(240)}${at}.md`);
  let [longest, last, isOver] = [0, performance.now(), false];
  const others = (async () => {
    while (!isOver) {
      await sleep(1);
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
  })();
  expect((await found()).files).toHaveLength(40);
  isOver = true;
  await others;
  expect(longest).toBeLessThan(1_000);
});

test("a walk ends when it is aborted", async () => {
  await writeFile(join(root, ".gitignore"), Array.from({ length: 400 }, () => `*${"a".repeat(127)}b*`).join("\n"));
  for (let at = 0; at < 40; at += 1) await put(`${"a".repeat(240)}${at}.md`);
  await expect(allFilesIn(root, AbortSignal.abort(new Error("It is over.")))).rejects.toThrow("It is over.");
});

test.runIf(process.platform === "linux")("counts names that are not UTF-8, unless they are ignored", async () => {
  await put("a.md", "b.log");
  const latin1 = (name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);
  await writeFile(join(root, ".gitignore"), "*.log\n");
  for (const name of ["café.md", "café.log", ".café"]) await writeFile(latin1(name), "x");
  await mkdir(latin1("cafés"));
  await symlink("a.md", latin1("thé.md"));
  for (const all of [await filesIn(root), await allFilesIn(root, new AbortController().signal)])
    expect(all).toEqual({ files: [join(root, "a.md")], nameless: 2, unruled: [] });
});

test("describes left-out items in sentences, without characters that would break the line", () => {
  const unruled = Array.from({ length: 7 }, (_, at) => `part${at}\n`);
  expect(describeLeftOut({ nameless: 0, unruled: [] }, String)).toEqual([]);
  expect(describeLeftOut({ nameless: 1, unruled }, (folder) => `in ${folder}`)).toEqual([
    "1 file or folder has a name that is not UTF-8 and was left out.",
    expect.stringMatching(/: in part0, in part1, in part2, in part3, in part4, and 2 more\.$/),
  ]);
});
