import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand, type CommandOptions } from "../support/command-line.js";
import { findInFiles } from "../support/data-folder-scan.js";

const ENCRYPTED = resolve(import.meta.dirname, "../fixtures/extractors/encrypted-qpdf.pdf");
const WRONG = "a-wrong-pass-word-42";

let folder: string;
let data: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-cli-"));
  data = join(folder, "data");
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const run = (argv: readonly string[], options?: CommandOptions) => runCommand(data, ["add", ...argv], options);

test("adding an encrypted PDF names the password option, and succeeds with it", async () => {
  const locked = await run([ENCRYPTED]);
  expect(locked).toMatchObject({ code: 1, stdout: expect.stringContaining("--password-file") });
  const path = join(folder, "password.txt");
  await writeFile(path, "secret\n");
  expect(await run([ENCRYPTED, "--password-file", path])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^(added|updated): /),
  });
});

test("reads the password from standard input, and stores it nowhere", async () => {
  const wrong = await run([ENCRYPTED, "--password-file", "-"], { stdin: WRONG });
  expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining("does not open this PDF") });
  expect(findInFiles(data, [WRONG])).toEqual([]);
  expect((await run([ENCRYPTED, "--password-file", "-"], { stdin: "secret\r\n" })).code).toBe(0);
});

test.each([
  ["for several files", [ENCRYPTED, ENCRYPTED, "--password-file", "-"], /can be used with one file/],
  ["for text", ["I like tea", "--password-file", "-"], /needs a file/],
  ["that is empty", [ENCRYPTED, "--password-file", "-"], /contains no password/],
])("refuses a password %s", async (_what, argv, reason) => {
  expect(await run(argv, { stdin: "\n" })).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
});
