import { afterEach, beforeEach, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const MINUTE = 60_000;

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { kind?: string }) => error.kind ?? "an error of no kind",
  );

test("codes are valid for ten minutes, to the millisecond", async () => {
  const { deviceCode, userCode } = await core.startDevice(call, { client: "codex" });
  opened.clock.advance(10 * MINUTE - 1);
  expect(await core.findDevice(call, { userCode })).toMatchObject({ asker: { client: "codex" }, state: "pending" });
  expect(await core.pollDevice(call, { deviceCode })).toEqual({ state: "pending" });
  opened.clock.advance(1);
  expect(await kindOf(core.findDevice(call, { userCode }))).toBe("not_found");
  expect(await kindOf(core.answerDevice(call, { userCode, approve: true }))).toBe("not_found");
  expect(await core.pollDevice(call, { deviceCode })).toEqual({ state: "expired" });
});

test("all addresses of one IPv6 network share the limit of one address, and other networks are unaffected", async () => {
  const start = (from: string) => kindOf(core.startDevice(call, { from }));
  for (let host = 1; host <= 10; host += 1) expect(await start(`2001:db8:0:7:${host}::1`)).toBe("done");
  expect(await start("2001:db8::7:ffff:0:0:1")).toBe("rate_limited");
  expect(await start("2001:db8:0:8::1")).toBe("done");
});

test("a client that polls too often is told to slow down, and not if it respects the interval", async () => {
  const { deviceCode, interval } = await core.startDevice(call, {});
  const poll = async () => (await core.pollDevice(call, { deviceCode })).state;
  expect([await poll(), await poll()]).toEqual(["pending", "too_soon"]);
  opened.clock.advance(interval * 1_000);
  expect(await poll()).toBe("pending");
});

test("of several simultaneous polls, one gets the key", async () => {
  const { deviceCode, userCode } = await core.startDevice(call, {});
  await core.answerDevice(call, { userCode, approve: true, permission: "read" });
  const polled = await Promise.all([1, 2, 3, 4].map(() => core.pollDevice(call, { deviceCode })));
  expect(polled.map(({ state }) => state).toSorted()).toEqual(["approved", "expired", "expired", "expired"]);
  expect((await core.listKeys(call)).keys).toMatchObject([{ kind: "agent", client: null, permission: "read" }]);
});

test.each(["x".repeat(500), "🦜".repeat(250), `${"x".repeat(192)}🦜🦜🦜`])(
  "a long host name is shortened",
  async (hostname) => {
    const { deviceCode, userCode } = await core.startDevice(call, { client: "codex", hostname });
    await core.answerDevice(call, { userCode, approve: true });
    expect(await core.pollDevice(call, { deviceCode })).toMatchObject({ state: "approved" });
    const [key] = (await core.listKeys(call)).keys;
    expect(key?.name).toMatch(/^codex on (x|🦜)+$/u);
  },
);

test("only the owner can find and answer a request", async () => {
  const { userCode } = await core.startDevice(call, {});
  for (const actor of [opened.call(["a"]).actor, { ...call.actor, readOnly: "all" as const }]) {
    expect(await kindOf(core.findDevice({ actor }, { userCode }))).toBe("forbidden");
    expect(await kindOf(core.answerDevice({ actor }, { userCode, approve: true }))).toBe("forbidden");
  }
});

test("codes are not stored, and expired requests are removed", async () => {
  const { deviceCode, userCode } = await core.startDevice(call, { hostname: "nas" });
  const kept = await opened.everything();
  expect(kept).toContain("nas");
  for (const secret of [deviceCode, userCode, userCode.replace("-", "")]) expect(kept).not.toContain(secret);
  opened.clock.advance(10 * MINUTE);
  expect(await opened.store.deviceRequests.dropOver(opened.clock.now())).toBe(1);
  expect(await opened.everything()).not.toContain("nas");
});

test("the audit records the owner’s decision and the key that was created", async () => {
  const { deviceCode, userCode } = await core.startDevice(call, {});
  await core.pollDevice(call, { deviceCode });
  await core.answerDevice(call, { userCode, approve: true });
  await core.pollDevice({ ...call, from: { face: "console", address: "10.0.0.7" } }, { deviceCode });
  const { items } = await core.listAudit(call, {});
  const [{ id } = { id: "none" }] = (await core.listKeys(call)).keys;
  expect(items.filter(({ action }) => /Device/.test(action))).toMatchObject([
    { action: "pollDevice", outcome: "ok", actor: "unknown", subjectIds: [id], address: "10.0.0.7" },
    { action: "answerDevice", outcome: "ok", actor: "local" },
  ]);
});
