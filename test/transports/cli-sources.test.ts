import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../support/command-line.js";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "recollect-sources-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (...argv: readonly string[]) => runCommand(join(folder, "data"), argv);
const fixture = (name: string) => readFile(join(import.meta.dirname, "../fixtures/extractors", name));

test("a passage names its file and its place in it, and two files of one title can be told apart", async () => {
  const talk = await fixture("talk.pptx");
  for (const name of ["monday.pptx", "friday.pptx"]) {
    await writeFile(join(folder, name), talk);
    await run("add", join(folder, name), "--title", "Review");
  }
  const { stdout } = await run("search", "Apples are red", "--mode", "documents", "--threshold", "0");
  // Identical passages are returned once.
  expect(stdout).toContain(`passage · from “Review” (${join(folder, "monday.pptx")}) · slide 2 · `);
  const listed = await run("list", "--documents");
  for (const name of ["monday.pptx", "friday.pptx"])
    expect(listed.stdout).toContain(`- “Review” (${join(folder, name)})`);
});

test("passages written by others are marked as unverified, the user's own are not", async () => {
  const mail =
    "From: zoe@example.org\nTo: me@example.org\nSubject: Move\nMessage-ID: <a@example.org>\n\nThe user lives in Bergen.\n";
  await writeFile(join(folder, "move.eml"), mail);
  await run("add", join(folder, "move.eml"));
  await run("add", "The user works in Oslo.", "--text");
  const { stdout } = await run("search", "Where does the user live?", "--threshold", "0", "--mode", "documents");
  const about = (text: string) => stdout.split("\n").find((_line, at, lines) => lines[at - 1]?.includes(text)) ?? "";
  expect(stdout).toMatch(/Bergen/);
  expect(stdout).toMatch(/from “Move” .* · unverified: not from the user/);
  expect(about("Oslo")).toContain("from “");
  expect(about("Oslo")).not.toContain("unverified");
});
