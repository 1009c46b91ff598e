import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../support/command-line.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-options-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test.each([
  [["search", ""], "<query>"],
  [["forget", "--text", ""], "--text"],
  [["audit", "--key", ""], "--key"],
  [["connections", "add", "web-crawler", "--set", "startUrl=x"], "--set (startUrl)"],
  [["connections", "add", "nonsense"], "<provider>"],
])("a value that %j does not accept is named as it was typed", async (argv, name) => {
  const { code, stderr } = await runCommand(folder, argv);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`error: ${name}: `) });
});
