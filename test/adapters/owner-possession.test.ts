import { cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requirePossession, takePossession } from "../../src/adapters/owner/possession.js";

const ADDRESS = { url: "http://127.0.0.1:1", pid: 4711, version: "0.0.0", token: "token", nonce: "nonce" };

let parent: string;
let data: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "recollect-possession-"));
  data = join(parent, "data");
  await mkdir(data);
  await writeFile(join(data, "owner.lock"), "");
  await writeFile(join(data, "recollect.db"), "");
});
afterEach(() => rm(parent, { recursive: true, force: true }));

test("refuses a folder that was replaced while it was served, and the original that was moved away", async () => {
  const possession = takePossession(data, "nonce");
  requirePossession(data, ADDRESS, possession());
  const moved = join(parent, "moved");
  await rename(data, moved);
  await cp(moved, data, { recursive: true });
  expect(() => requirePossession(data, ADDRESS, possession())).toThrow(/replaced or restored.*process 4711/);
  expect(() => requirePossession(moved, ADDRESS, possession())).toThrow(/copied or moved.*process 4711/);
});
