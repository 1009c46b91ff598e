import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const PASSWORD = "correct horse battery";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const link = async () => (await core.createSignInCode(call)).code;
const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { kind?: string }) => error.kind ?? "an error of no kind",
  );

describe("a sign-in link", () => {
  test("signs one browser in, once, as the owner", async () => {
    const code = await link();
    const { token, signIn } = await core.signIn(call, { code, client: "Firefox" });
    expect(signIn).toMatchObject({ how: "link", client: "Firefox" });
    const { actor } = await core.checkSignIn(call, { token });
    expect(actor).toEqual({
      organizationId: opened.store.organizationId,
      name: `sign-in:${signIn.id}`,
      containers: "all",
    });
    expect(await kindOf(core.createKey({ actor }, {}))).toBe("done");
    expect(await kindOf(core.signIn(call, { code }))).toBe("unauthorized");
  });

  test("is invalid after ten minutes, to the millisecond", async () => {
    const [inTime, late] = [await link(), await link()];
    opened.clock.advance(10 * MINUTE - 1);
    expect(await kindOf(core.signIn(call, { code: inTime }))).toBe("done");
    opened.clock.advance(1);
    expect(await kindOf(core.signIn(call, { code: late }))).toBe("unauthorized");
  });

  test("can only be created by the owner", async () => {
    for (const actor of [opened.call(["a"]).actor, { ...call.actor, readOnly: "all" as const }])
      expect(await kindOf(core.createSignInCode({ actor }))).toBe("forbidden");
  });
});

describe("a key", () => {
  test("with access to the whole organisation can sign in; a limited or wrong one cannot", async () => {
    const full = await core.createKey(call, {});
    expect(await kindOf(core.signIn(call, { key: ` ${full.secret} ` }))).toBe("done");
    for (const limits of [{ permission: "read" }, { grants: [{ containerTag: "a" }] }]) {
      const { secret } = await core.createKey(call, limits);
      expect(await kindOf(core.signIn(call, { key: secret }))).toBe("forbidden");
    }
    expect(await kindOf(core.signIn(call, { key: `${full.secret}x` }))).toBe("unauthorized");
  });
});

describe("the password", () => {
  test("signs in once it is set, and no other password does", async () => {
    expect(await core.hasPassword(call)).toEqual({ isSet: false });
    expect(await kindOf(core.signIn(call, { password: PASSWORD }))).toBe("unauthorized");
    await core.setPassword(call, { password: PASSWORD });
    expect(await core.hasPassword(call)).toEqual({ isSet: true });
    expect(await kindOf(core.signIn(call, { password: PASSWORD }))).toBe("done");
    for (const password of [undefined, "", PASSWORD.toUpperCase(), `${PASSWORD} `])
      expect([password, await kindOf(core.signIn(call, { password }))]).toEqual([password, "unauthorized"]);
  });

  test("signs out all browsers when it changes, and signs nobody in when it is removed", async () => {
    const { token } = await core.signIn(call, { code: await link() });
    expect(await core.setPassword(call, { password: PASSWORD })).toEqual({ isSet: true, ended: 1 });
    expect(await kindOf(core.checkSignIn(call, { token }))).toBe("unauthorized");
    await core.setPassword(call, { password: null });
    expect(await kindOf(core.signIn(call, { password: PASSWORD }))).toBe("unauthorized");
  });

  test.each([["short"], [""], ["x".repeat(1_001)], [`zero\u0000byte and more`]])("cannot be %j", async (password) => {
    expect(await kindOf(core.setPassword(call, { password }))).toBe("invalid");
  });
});

describe("sign-in attempts", () => {
  const wrong = (from: string) => kindOf(core.signIn(call, { key: "sm_wrong_0123456789abcdefgh", from }));

  test("from one address are limited to ten for a while; other addresses and links still work", async () => {
    for (let count = 0; count < 10; count++) expect(await wrong("1.2.3.4")).toBe("unauthorized");
    expect(await wrong("1.2.3.4")).toBe("rate_limited");
    expect(await wrong("5.6.7.8")).toBe("unauthorized");
    expect(await kindOf(core.signIn(call, { code: await link(), from: "1.2.3.4" }))).toBe("done");
    opened.clock.advance(15 * MINUTE);
    expect(await wrong("1.2.3.4")).toBe("unauthorized");
  });

  test("that succeed are not counted, and failed ones of others lock nobody out", async () => {
    const { secret } = await core.createKey(call, {});
    for (let count = 0; count < 30; count++)
      expect(await kindOf(core.signIn(call, { key: secret, from: "1.2.3.4" }))).toBe("done");
    for (let count = 0; count < 200; count++) await wrong(`stranger ${count}`);
    expect(await kindOf(core.signIn(call, { key: secret, from: "1.2.3.4" }))).toBe("done");
  });

  test("from one IPv6 network are counted together, and IPv4 addresses however they are written", async () => {
    for (let host = 1; host <= 10; host += 1) {
      expect(await wrong(`2001:db8:0:7:${host}::${host}`)).toBe("unauthorized");
      expect(await wrong(host % 2 === 0 ? "5.6.7.8" : "::ffff:5.6.7.8")).toBe("unauthorized");
    }
    expect(await wrong("2001:0db8:0000:0007:ffff::1")).toBe("rate_limited");
    expect(await wrong("::FFFF:506:708")).toBe("rate_limited");
    expect(await wrong("2001:db8:0:8::1")).toBe("unauthorized");
    expect(await wrong("5.6.7.9")).toBe("unauthorized");
  });

  test("with keys are counted separately from those with passwords", async () => {
    await core.setPassword(call, { password: "correct horse battery" });
    for (let count = 0; count < 11; count++) await wrong("1.2.3.4");
    expect(await wrong("1.2.3.4")).toBe("rate_limited");
    const password = "correct horse battery";
    expect(await kindOf(core.signIn(call, { password, from: "1.2.3.4" }))).toBe("done");
  });
});

describe("a sign-in", () => {
  test("ends after thirty days without use, and is extended by use", async () => {
    const { token } = await core.signIn(call, { code: await link() });
    opened.clock.advance(20 * DAY);
    expect(await kindOf(core.checkSignIn(call, { token }))).toBe("done");
    opened.clock.advance(20 * DAY);
    expect(await kindOf(core.checkSignIn(call, { token }))).toBe("done");
    opened.clock.advance(30 * DAY);
    expect(await kindOf(core.checkSignIn(call, { token }))).toBe("unauthorized");
  });

  test("replaces the previous one of the browser", async () => {
    const { token: previous } = await core.signIn(call, { code: await link() });
    const { token } = await core.signIn(call, { code: await link(), previous });
    expect(token).not.toBe(previous);
    expect(await kindOf(core.checkSignIn(call, { token: previous }))).toBe("unauthorized");
    expect((await core.listSignIns(call)).signIns).toHaveLength(1);
  });

  test("is listed, and can be ended by the owner or by the browser", async () => {
    const one = await core.signIn(call, { code: await link() });
    const other = await core.signIn(call, { code: await link() });
    expect((await core.listSignIns(call)).signIns).toHaveLength(2);
    await core.endSignIn(call, { id: one.signIn.id });
    expect(await kindOf(core.endSignIn(call, { id: one.signIn.id }))).toBe("not_found");
    expect(await core.signOut(call, { token: other.token })).toEqual({ ended: true });
    expect(await core.signOut(call, { token: other.token })).toEqual({ ended: false });
    for (const { token } of [one, other]) expect(await kindOf(core.checkSignIn(call, { token }))).toBe("unauthorized");
  });

  test("leaves no secret in the store", async () => {
    const code = await link();
    const { token } = await core.signIn(call, { code: await link() });
    await core.setPassword(call, { password: PASSWORD });
    const kept = await opened.everything();
    for (const secret of [code, token, PASSWORD]) expect(kept).not.toContain(secret);
  });
});
