import { afterEach, beforeEach, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const DAY = 24 * 60 * 60_000;

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const REQUEST = "request-of-one-page";
const plugin = (client: string) => ({ client, kind: "plugin", name: client });
const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { kind?: string }) => error.kind ?? "another error",
  );
const clients = async () => (await core.listKeys(call)).keys.map(({ client }) => client);

test("creates one key per client, all with the same limits", async () => {
  const { keys } = await core.connectClients(call, {
    request: REQUEST,
    clients: [plugin("codex"), { client: null, kind: "agent", name: "unknown program" }],
    grants: [{ containerTag: "mia" }],
    expiresInDays: 7,
  });
  expect(keys.map(({ client }) => client)).toEqual(["codex", null]);
  const listed = (await core.listKeys(call)).keys;
  expect(listed.map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
  for (const key of listed) expect(key).toMatchObject({ grants: [{ containerTag: "mia", permission: "write" }] });
  for (const { secret } of keys) expect(await opened.everything()).not.toContain(secret);
});

test("fulfils each request once, and forgets it after a day", async () => {
  const approve = () => kindOf(core.connectClients(call, { request: REQUEST, clients: [plugin("codex")] }));
  expect([await approve(), await approve()]).toEqual(["done", "conflict"]);
  expect(await opened.everything()).not.toContain(REQUEST);
  opened.clock.advance(DAY - 1);
  expect(await opened.store.signIns.dropOver(opened.clock.now())).toBe(0);
  expect(await approve()).toBe("conflict");
  opened.clock.advance(1);
  expect(await opened.store.signIns.dropOver(opened.clock.now())).toBe(1);
});

test("creates all keys or none, and does not count rejected attempts", async () => {
  for (const wrong of [
    { clients: [plugin("codex"), plugin("not a name")] },
    { clients: [plugin("codex"), { ...plugin("codex"), kind: "organization" }] },
    { clients: [plugin("codex")], grants: [] },
    { clients: [plugin("codex")], expiresInDays: 366 },
    { clients: [] },
    { clients: Array.from({ length: 21 }, (_, index) => plugin(`c${index}`)) },
    { clients: [plugin("codex")], request: "short" },
  ])
    expect(await kindOf(core.connectClients(call, { request: REQUEST, ...wrong }))).toBe("invalid");
  expect(await clients()).toEqual([]);
  await core.connectClients(call, { request: REQUEST, clients: [plugin("codex")] });
  expect(await clients()).toEqual(["codex"]);
});

test("is reserved for the owner", async () => {
  for (const actor of [opened.call(["a"]).actor, { ...call.actor, readOnly: "all" as const }])
    expect(await kindOf(core.connectClients({ actor }, { request: REQUEST, clients: [plugin("codex")] }))).toBe(
      "forbidden",
    );
});
