import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AppGrant } from "../../src/core/types.js";
import { parseAnswer, runCommand } from "../support/command-line.js";
import { openCore } from "../support/open-core.js";

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "recollect-cli-"));
});
afterEach(async () => {
  await rm(data, { recursive: true, force: true });
});

const run = (argv: readonly string[]) => runCommand(data, argv);

/** Grants an app access, as the page in the browser does. */
async function allow(input: object): Promise<AppGrant> {
  const opened = await openCore({ dataDirectory: data });
  const about = { issuer: "https://memory.example", clientId: "https://claude.ai/client.json" };
  const names = { clientName: "Claude", clientHost: "claude.ai", permission: "write" };
  try {
    return await opened.core.allowApp({ actor: opened.actor }, { ...about, ...names, ...input });
  } finally {
    await opened.close();
  }
}

test("recollect grants lists the apps with access, and what limits each", async () => {
  expect((await run(["grants", "list"])).stdout).toContain("No app has access");
  const all = await allow({});
  const narrow = await allow({
    clientName: "Evil",
    containerTags: ["mia"],
    permission: "read",
    expiresInDays: 30,
  });
  const { code, stdout } = await run(["grants"]);
  expect(code).toBe(0);
  const [first = "", second = ""] = stdout.split("\n");
  expect(first).toMatch(
    new RegExp(
      `^${narrow.id} {2}Evil \\(claude\\.ai\\), only mia, read-only {2}granted [\\d-]+, never used, expires [\\d-]+$`,
    ),
  );
  expect(second).toMatch(new RegExp(`^${all.id} {2}Claude \\(claude\\.ai\\) {2}granted [\\d-]+, never used$`));
  expect(parseAnswer(await run(["grants", "list", "--json"]))).toMatchObject({
    grants: [{ id: narrow.id }, { id: all.id }],
  });
});

test("recollect grants revoke ends one grant by its id, or all grants of an app by its client id", async () => {
  const one = await allow({});
  await allow({});
  await allow({});
  expect((await run(["grants", "revoke", one.id])).stdout).toBe("Access revoked.\n");
  expect((await run(["grants", "revoke", one.clientId])).stdout).toBe("Access revoked: 2 grants ended.\n");
  const again = await run(["grants", "revoke", one.id]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("not found")]);
});
