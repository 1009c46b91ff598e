import { afterEach, beforeEach, expect, test } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node } from "../../src/node.js";
import type { Call, Core } from "../../src/core/index.js";
import { type LossyOwner, startAsker, startLossyOwner } from "../support/lossy-owner.js";
import { type ServeProcess, startServe } from "../support/recollect-process.js";

let dataDirectory: string;
let serve: ServeProcess;
let lossy: LossyOwner;
let asker: Node;
let core: Core;
let owner: Call;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-lost-owners-"));
  serve = await startServe(dataDirectory);
  lossy = await startLossyOwner(dataDirectory);
  asker = startAsker(dataDirectory);
  core = asker.core;
  owner = { actor: await asker.actor() };
}, 30_000);
afterEach(async () => {
  await asker.close();
  await lossy.close();
  await serve.stop();
  await rm(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
});

/** Calls an owner that is killed once it has answered, before the answer arrives. */
async function askTheDying<T>(useCase: keyof Core, ask: () => Promise<T>): Promise<T> {
  lossy.loseNext(useCase, () => serve.stop("SIGKILL"));
  const told = await ask();
  expect(lossy.answers, "what the owner answered before it died").toEqual([{ result: told }]);
  expect(await asker.role()).toBe("owner");
  return told;
}

const keys = async () => (await core.listKeys(owner)).keys;
const auditOf = async (action: string) =>
  (await core.listAudit(owner, {})).items.filter((entry) => entry.action === action);

test("a key created by an owner that then died exists once, and the caller receives it", async () => {
  const before = await keys();
  const { key, secret } = await askTheDying("createKey", () => core.createKey(owner, { name: "one" }));
  expect((await keys()).filter(({ id }) => before.every((old) => old.id !== id))).toMatchObject([{ id: key.id }]);
  expect(await core.authenticate(owner, secret)).toMatchObject({ name: `key:${key.id}` });
  expect(await auditOf("createKey")).toMatchObject([{ subjectIds: [key.id], count: 1 }]);
});

test("a key disabled by an owner that then died stays disabled", async () => {
  const { key } = await core.createKey(owner, {});
  const told = await askTheDying("toggleKey", () => core.toggleKey(owner, { id: key.id }));
  expect(told).toEqual({ id: key.id, enabled: false });
  expect((await keys()).find(({ id }) => id === key.id)?.isOpen).toBe(false);
});

test("a key revoked by an owner that then died is revoked without an error", async () => {
  const { key } = await core.createKey(owner, {});
  expect(await askTheDying("revokeKey", () => core.revokeKey(owner, { id: key.id }))).toEqual({ id: key.id });
});
