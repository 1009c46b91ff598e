import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import { authenticate } from "../../src/core/auth.js";
import type { Call, Core } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { withMethods } from "../support/with-methods.js";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const CONFIGURED = "sm_acme_0123456789abcdefghij";

test("a key authenticates for its organisation, and its secret is returned once", async () => {
  const { key, secret } = await core.createKey(call, { name: "laptop" });
  expect(secret).toMatch(new RegExp(`^sm_${opened.store.organizationId}_[A-Za-z0-9]{20,}$`));
  expect(key).toMatchObject({ name: "laptop", hint: secret.slice(-4), lastUsedAt: null, revokedAt: null });
  expect(await core.authenticate(call, secret)).toEqual({
    organizationId: opened.store.organizationId,
    name: `key:${key.id}`,
    containers: "all",
    keyName: "laptop",
  });
  expect(JSON.stringify(await core.listKeys(call))).not.toContain(secret);
});

test("no file of the data folder contains the secret, or any part of it that is not displayed anyway", async () => {
  const { secret } = await core.createKey(call, { name: "laptop" });
  await core.authenticate(call, secret);
  await core.ensureFirstKey(call, { configured: CONFIGURED });
  const bytes = Buffer.concat(
    readdirSync(opened.dataDirectory).map((name) => readFileSync(join(opened.dataDirectory, name))),
  );
  for (const text of [secret, secret.split("_").at(-1) ?? "", secret.slice(-12), CONFIGURED, CONFIGURED.slice(-12)])
    expect([text, bytes.includes(text)]).toEqual([text, false]);
  expect(bytes.includes("laptop")).toBe(true);
});

test("the refusal of a key does not say what is wrong with it", async () => {
  const { key, secret } = await core.createKey(call, {});
  await core.revokeKey(call, { id: key.id });
  const wrong = [
    secret,
    "",
    "sm_",
    "nonsense",
    `${secret}x`,
    secret.toUpperCase(),
    `sm_other_${secret.split("_").at(-1)}`,
  ];
  const errors: unknown[] = await Promise.all(
    wrong.map((text) => core.authenticate(call, text).catch((error: unknown) => error)),
  );
  for (const error of errors) expect(error).toMatchObject({ kind: "unauthorized" });
  expect(new Set(errors.map(String)).size).toBe(1);
});

test("a revoked key stays revoked; an unknown one is not found", async () => {
  const { key } = await core.createKey(call, {});
  await core.revokeKey(call, { id: key.id });
  for (const id of [key.id, "nothing"])
    await expect(core.revokeKey(call, { id })).rejects.toMatchObject({
      kind: "not_found",
      message: `Key not found: ${id}`,
    });
  expect((await core.listKeys(call)).keys).toMatchObject([{ id: key.id, revokedAt: opened.clock.now().toISOString() }]);
});

test("the first key is created once; a configured one is accepted in addition", async () => {
  const { secret } = await core.ensureFirstKey(call, {});
  expect(secret).toMatch(/^sm_/);
  expect(await core.ensureFirstKey(call, {})).toEqual({ secret: null });
  expect(await core.ensureFirstKey(call, { configured: CONFIGURED })).toEqual({ secret: null });
  expect(await core.ensureFirstKey(call, { configured: CONFIGURED })).toEqual({ secret: null });
  for (const text of [secret, CONFIGURED]) await expect(core.authenticate(call, text)).resolves.toBeTruthy();
});

test("use is recorded, at most once a minute", async () => {
  const { secret } = await core.createKey(call, {});
  const used = async () => (await core.listKeys(call)).keys[0]?.lastUsedAt;
  await core.authenticate(call, secret);
  const first = opened.clock.now().toISOString();
  opened.clock.advance(59_000);
  await core.authenticate(call, secret);
  expect(await used()).toBe(first);
  opened.clock.advance(2_000);
  await core.authenticate(call, secret);
  expect(await used()).toBe(opened.clock.now().toISOString());
});

test("a key is valid until the last millisecond before it expires", async () => {
  const { secret, key } = await core.createKey(call, { expiresInDays: 1 });
  expect(key.expiresAt).toBe(opened.clock.from(86_400_000).toISOString());
  opened.clock.advance(86_400_000 - 1);
  await expect(core.authenticate(call, secret)).resolves.toMatchObject({ containers: "all" });
  opened.clock.advance(1);
  await expect(core.authenticate(call, secret)).rejects.toMatchObject({ kind: "unauthorized" });
  expect((await core.listKeys(call)).keys).toMatchObject([{ id: key.id, isOpen: false }]);
});

test("the strictest of several grants for a container applies, and read permission of the key overrides them", async () => {
  const grants = [
    { containerTag: "a" },
    { containerTag: "a", permission: "read" },
    { containerTag: "b", permission: "write" },
  ];
  const { key } = await core.createKey(call, { grants });
  expect(key.grants).toEqual([
    { containerTag: "a", permission: "read" },
    { containerTag: "b", permission: "write" },
  ]);
  const { secret } = await core.createKey(call, { grants, permission: "read" });
  expect(await core.authenticate(call, secret)).toMatchObject({ containers: ["a", "b"], readOnly: "all" });
});

test("only the owner can create, list, toggle or revoke keys", async () => {
  const { key } = await core.createKey(call, {});
  const reader: Call = { actor: { ...call.actor, readOnly: "all" } };
  for (const other of [opened.call(["a"]), reader])
    for (const refused of [
      core.createKey(other, {}),
      core.listKeys(other),
      core.revokeKey(other, { id: key.id }),
      core.toggleKey(other, { id: key.id }),
    ])
      await expect(refused).rejects.toMatchObject({ kind: "forbidden" });
});

test("the first key is created as long as there is no key with full access to the organisation", async () => {
  await core.createKey(call, { grants: [{ containerTag: "a" }] });
  await core.createKey(call, { permission: "read" });
  expect((await core.ensureFirstKey(call, {})).secret).toMatch(/^sm_/);
  expect((await core.ensureFirstKey(call, {})).secret).toBeNull();
});

test("reading works even if the use of a key cannot be recorded", async () => {
  const { secret } = await core.createKey(call, {});
  const { store } = opened;
  const full = new AppError("storage_full", "The disk is full.");
  const keys = withMethods(store.keys, { touch: () => Promise.reject(full) });
  const context = { ...opened.context, store: { ...store, keys } };
  expect(await authenticate(context, secret)).toMatchObject({ containers: "all" });
});
