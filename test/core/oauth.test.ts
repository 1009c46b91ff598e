import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AppError } from "../../src/core/errors.js";
import { cleanUp } from "../../src/core/upkeep/upkeep.js";
import type { AppGrant } from "../../src/core/types.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const ISSUER = "https://memory.example";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let opened: ManualCore;

beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

const allow = (input: object = {}): Promise<AppGrant> =>
  opened.core.allowApp(opened.call(), {
    issuer: ISSUER,
    clientId: "app-1",
    clientName: "Claude Code (Mia's)",
    clientHost: "claude.example",
    permission: "write",
    ...input,
  });

interface Token {
  readonly grantId: string;
  readonly token?: string;
  readonly scope?: string;
  readonly aud?: string;
  readonly issuer?: string;
}

const give = ({
  grantId,
  token = "t1",
  scope = "memory:read memory:write",
  aud = `${ISSUER}/mcp`,
  issuer = ISSUER,
}: Token) =>
  opened.core.saveOAuthRecord(opened.call(), {
    kind: "AccessToken",
    secret: `${issuer} ${token}`,
    grantId,
    payload: JSON.stringify({ aud, scope, grantId }),
    expiresInSeconds: 3_600,
  });

const enter = (token = "t1", issuer: string | null = ISSUER) =>
  opened.core.authenticateToken(opened.call(), { token, issuer });
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: AppError) => `${error.kind}: ${error.message}`,
  );

describe("an access token", () => {
  test("authenticates as its grant: containers, permission and name", async () => {
    const all = await allow();
    await give({ grantId: all.id });
    expect(await enter()).toEqual({
      organizationId: all.organizationId,
      name: `oauth:${all.id}`,
      containers: "all",
      isApp: true,
      client: "claude-code-mia-s",
    });
    const narrow = await allow({ containerTags: ["mia", "mia"], permission: "read", clientName: "—" });
    await give({ grantId: narrow.id, token: "t2" });
    expect(await enter("t2")).toEqual({
      organizationId: all.organizationId,
      name: `oauth:${narrow.id}`,
      containers: ["mia"],
      readOnly: "all",
      isApp: true,
    });
  });

  test("with a read scope can only read, whatever its grant allows", async () => {
    const { id } = await allow();
    await give({ grantId: id, scope: "memory:read" });
    expect(await enter()).toMatchObject({ containers: "all", readOnly: "all" });
  });

  test("is refused with the same message, whatever is wrong with it", async () => {
    const { id } = await allow();
    await give({ grantId: id });
    await give({ grantId: id, token: "for another resource", aud: "https://other.example/mcp" });
    await give({ grantId: id, token: "of another server", issuer: "https://other.example" });
    await give({ grantId: "gone", token: "without a grant" });
    const said = [
      await refusal(enter("unknown")),
      await refusal(enter("t1", "https://other.example")),
      await refusal(enter("t1", null)),
      await refusal(enter("for another resource")),
      await refusal(enter("of another server")),
      await refusal(enter("without a grant")),
      await refusal(enter("")),
    ];
    opened.clock.advance(HOUR_MS);
    said.push(await refusal(enter()));
    expect(new Set(said)).toEqual(new Set([expect.stringMatching(/^unauthorized: /)]));
  });

  test("expires with its grant", async () => {
    const { id, expiresAt } = await allow({ expiresInDays: 7 });
    expect(Date.parse(expiresAt ?? "")).toBe(opened.clock.now().getTime() + 7 * DAY_MS);
    opened.clock.advance(7 * DAY_MS - 1_000);
    await give({ grantId: id });
    expect(await enter()).toMatchObject({ name: `oauth:${id}` });
    opened.clock.advance(1_000);
    expect(await refusal(enter())).toMatch(/^unauthorized/);
    expect((await opened.core.listGrants(opened.call())).grants).toEqual([]);
  });

  test("records its use, at most once a minute", async () => {
    const { id } = await allow();
    await give({ grantId: id });
    const lastUse = async () => (await opened.core.listGrants(opened.call())).grants[0]?.lastUsedAt;
    await enter();
    const first = await lastUse();
    opened.clock.advance(30_000);
    await enter();
    expect(await lastUse()).toBe(first);
    opened.clock.advance(31_000);
    await enter();
    expect(await lastUse()).toBe(opened.clock.now().toISOString());
  });
});

describe("a single-use code", () => {
  const code = { kind: "AuthorizationCode", secret: "code" };

  test("is valid for the first use; a second use revokes the grant with everything that belongs to it", async () => {
    const { id } = await allow();
    const kept = await allow();
    await give({ grantId: id });
    await give({ grantId: kept.id, token: "of another grant" });
    await opened.core.saveOAuthRecord(opened.call(), { ...code, grantId: id, payload: "{}", expiresInSeconds: 60 });
    expect(await opened.core.consumeOAuthRecord(opened.call(), code)).toEqual({ isFirst: true });
    expect((await opened.core.findOAuthRecord(opened.call(), code)).found).toEqual({ payload: "{}", isConsumed: true });
    expect(await opened.core.consumeOAuthRecord(opened.call(), code)).toEqual({ isFirst: false });
    expect(await refusal(enter())).toMatch(/^unauthorized/);
    expect(await enter("of another grant")).toMatchObject({ name: `oauth:${kept.id}` });
    expect((await opened.core.findOAuthRecord(opened.call(), code)).found).toBeNull();
  });

  test("is exchanged for a token, which a second use does not get", async () => {
    const { id } = await allow();
    await opened.core.saveOAuthRecord(opened.call(), { ...code, grantId: id, payload: "{}", expiresInSeconds: 60 });
    const trade = (secret: string) =>
      opened.core.consumeOAuthRecord(opened.call(), {
        ...code,
        save: [{ kind: "Other", secret, grantId: id, payload: "{}" }],
      });
    const isKept = async (secret: string) =>
      (await opened.core.findOAuthRecord(opened.call(), { kind: "Other", secret })).found !== null;
    await trade("first");
    expect(await isKept("first")).toBe(true);
    await trade("second");
    expect([await isKept("first"), await isKept("second")]).toEqual([false, false]);
    expect(await refusal(opened.core.consumeOAuthRecord(opened.call(), { ...code, save: [{}] }))).toMatch(/^invalid/);
  });

  test("is accepted for one of many simultaneous uses", async () => {
    const { id } = await allow();
    await opened.core.saveOAuthRecord(opened.call(), { ...code, grantId: id, payload: "{}", expiresInSeconds: 60 });
    const uses = await Promise.all(
      Array.from({ length: 10 }, () => opened.core.consumeOAuthRecord(opened.call(), code)),
    );
    expect(uses.filter(({ isFirst }) => isFirst)).toHaveLength(1);
  });

  test("that is unknown is not accepted", async () => {
    expect(await opened.core.consumeOAuthRecord(opened.call(), code)).toEqual({ isFirst: false });
  });
});

describe("an OAuth record", () => {
  test("is found by its secret and its second id until it expires, and is stored nowhere in plain text", async () => {
    const record = { kind: "Session", secret: "cookie-0123456789", uid: "second-0123456789" };
    await opened.core.saveOAuthRecord(opened.call(), { ...record, payload: '{"a":1}', expiresInSeconds: 60 });
    const find = (wanted: object) => opened.core.findOAuthRecord(opened.call(), { kind: "Session", ...wanted });
    const found = { found: { payload: '{"a":1}', isConsumed: false } };
    expect(await find({ secret: record.secret })).toEqual(found);
    expect(await find({ uid: record.uid })).toEqual(found);
    expect(await find({ secret: record.uid })).toEqual({ found: null });
    const kept = await opened.everything();
    expect([kept.includes(record.secret), kept.includes(record.uid)]).toEqual([false, false]);
    opened.clock.advance(60_000);
    expect(await find({ secret: record.secret })).toEqual({ found: null });
  });

  test.each([
    ["without a secret", { kind: "Session", payload: "{}" }],
    ["without a kind", { secret: "x", payload: "{}" }],
    ["that is too long", { kind: "Session", secret: "x", payload: "x".repeat(100_000) }],
    ["with a secret that is too long", { kind: "Session", secret: "x".repeat(10_000), payload: "{}" }],
    ["with an expiry in the past", { kind: "Session", secret: "x", payload: "{}", expiresInSeconds: -1 }],
    ["that is null", null],
  ])("%s is rejected", async (_name, input) => {
    expect(await refusal(opened.core.saveOAuthRecord(opened.call(), input))).toMatch(/^invalid/);
  });
});

describe("granting and revoking access for apps", () => {
  test("is reserved for the owner", async () => {
    const { id } = await allow();
    await give({ grantId: id });
    const app = { actor: await enter() };
    const limited = opened.call(["mia"]);
    for (const call of [app, limited])
      for (const attempt of [
        opened.core.allowApp(call, {}),
        opened.core.listGrants(call),
        opened.core.revokeGrants(call, { client: "app-1" }),
        opened.core.findOAuthRecord(call, {}),
        opened.core.saveOAuthRecord(call, {}),
        opened.core.oauthSecrets(call),
        opened.core.createKey(call, {}),
        opened.core.updateSettings(call, {}),
      ])
        expect(await refusal(attempt)).toMatch(/^forbidden/);
  });

  test("revokes all grants of a client, or a single grant", async () => {
    const [first, second, other] = [await allow(), await allow(), await allow({ clientId: "app-2" })];
    for (const [grant, token] of [
      [first, "1"],
      [second, "2"],
      [other, "3"],
    ] as const)
      await give({ grantId: grant.id, token });
    expect(await opened.core.revokeGrants(opened.call(), { client: other.id })).toEqual({ revoked: 1 });
    expect(await opened.core.revokeGrants(opened.call(), { client: "app-1" })).toEqual({ revoked: 2 });
    for (const token of ["1", "2", "3"]) expect(await refusal(enter(token))).toMatch(/^unauthorized/);
    expect(await refusal(opened.core.revokeGrants(opened.call(), { client: "app-1" }))).toMatch(/^not_found/);
  });

  test.each([
    ["no containers", { containerTags: [] }],
    ["too many containers", { containerTags: Array.from({ length: 101 }, (_, index) => `c${index}`) }],
    ["an invalid container", { containerTags: ["a b"] }],
    ["an unknown permission", { permission: "all" }],
    ["no lifetime", { expiresInDays: 0 }],
    ["a fractional day", { expiresInDays: 0.5 }],
    ["no client", { clientId: "" }],
  ])("with %s is rejected", async (_name, input) => {
    expect(await refusal(allow(input))).toMatch(/^invalid/);
  });
});

describe("the clean-up", () => {
  const client = (secret: string, expiresInSeconds = 86_400) =>
    opened.core.saveOAuthRecord(opened.call(), { kind: "Client", secret, payload: "{}", expiresInSeconds });
  const isKnown = async (secret: string) =>
    (await opened.core.findOAuthRecord(opened.call(), { kind: "Client", secret })).found !== null;

  test("removes ten thousand expired records, and no others", async () => {
    const { id } = await allow();
    await allow({ expiresInDays: 1 });
    await give({ grantId: id });
    const createdAt = opened.clock.now().toISOString();
    const expiresAt = opened.clock.from(60_000).toISOString();
    await opened.store.transaction(async ({ oauth }) => {
      for (let count = 0; count < 10_000; count += 1)
        await oauth.save({
          kind: "Interaction",
          hash: `hash-${count}`,
          uidHash: null,
          grantId: null,
          payload: "{}",
          createdAt,
          expiresAt,
        });
    });
    expect((await opened.rowCounts())["oauth_records"]).toBe(10_001);
    opened.clock.advance(61_000);
    await cleanUp(opened.context);
    expect(await opened.rowCounts()).toMatchObject({ oauth_records: 1, oauth_grants: 2 });
    opened.clock.advance(DAY_MS);
    await cleanUp(opened.context);
    expect(await opened.rowCounts()).toMatchObject({ oauth_records: 0, oauth_grants: 0 });
  }, 60_000);

  test("removes a grant without tokens a day after it was created, and keeps one with a token", async () => {
    const { id } = await allow();
    const kept = await allow({ clientId: "app-2" });
    const { call, clock, core } = opened;
    await give({ grantId: id });
    await core.saveOAuthRecord(call(), {
      kind: "RefreshToken",
      secret: "r",
      grantId: kept.id,
      payload: "{}",
      expiresInSeconds: 30 * 86_400,
    });
    const ids = async () => (await core.listGrants(call())).grants.map((grant) => grant.id).toSorted();
    clock.advance(23 * HOUR_MS);
    await cleanUp(opened.context);
    expect(await ids()).toEqual([id, kept.id].toSorted());
    clock.advance(2 * HOUR_MS);
    await cleanUp(opened.context);
    expect(await ids()).toEqual([kept.id]);
  });

  test("removes apps that registered and were never authorised after a day, and keeps authorised ones", async () => {
    await client(`${ISSUER} app-1`);
    await client(`${ISSUER} app-2`);
    const { id } = await allow();
    await opened.core.saveOAuthRecord(opened.call(), { kind: "RefreshToken", secret: "r", grantId: id, payload: "{}" });
    opened.clock.advance(2 * DAY_MS);
    await cleanUp(opened.context);
    expect([await isKnown(`${ISSUER} app-1`), await isKnown(`${ISSUER} app-2`)]).toEqual([true, false]);
    await opened.core.revokeGrants(opened.call(), { client: "app-1" });
    opened.clock.advance(29 * DAY_MS);
    expect(await isKnown(`${ISSUER} app-1`)).toBe(true);
    opened.clock.advance(2 * DAY_MS);
    expect(await isKnown(`${ISSUER} app-1`)).toBe(false);
  });

  test("keeps a registration as long as the last grant of its app, in whatever order they were given", async () => {
    await client(`${ISSUER} app-1`);
    const forEver = await allow();
    const short = await allow({ expiresInDays: 1 });
    opened.clock.advance(400 * DAY_MS);
    expect(await isKnown(`${ISSUER} app-1`)).toBe(true);
    await opened.core.revokeGrants(opened.call(), { client: short.id });
    expect(await isKnown(`${ISSUER} app-1`)).toBe(true);
    await opened.core.revokeGrants(opened.call(), { client: forEver.id });
    opened.clock.advance(31 * DAY_MS);
    expect(await isKnown(`${ISSUER} app-1`)).toBe(false);
  });

  test("is not needed to limit the number of apps: a new one replaces the oldest without a grant", async () => {
    await client("oldest");
    await client(`${ISSUER} app-1`);
    await allow();
    const createdAt = opened.clock.from(1_000).toISOString();
    const expiresAt = opened.clock.from(DAY_MS).toISOString();
    await opened.store.transaction(async ({ oauth }) => {
      for (let count = 0; count < 1_000; count += 1)
        await oauth.save({
          kind: "Client",
          hash: `h${count}`,
          uidHash: null,
          grantId: null,
          payload: "{}",
          createdAt,
          expiresAt,
        });
    });
    opened.clock.advance(2_000);
    await client("newest");
    expect((await opened.rowCounts())["oauth_records"]).toBe(1_001);
    expect([await isKnown("oldest"), await isKnown("newest"), await isKnown(`${ISSUER} app-1`)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

test("the secrets of the authorization server are created once, on first use", async () => {
  const asked = await Promise.all(Array.from({ length: 5 }, () => opened.core.oauthSecrets(opened.call())));
  const [first] = asked;
  expect(first).toMatchObject({
    jwk: { kty: "EC", crv: "P-256", use: "sig", alg: "ES256" },
    cookieKey: expect.any(String),
  });
  for (const secrets of asked) expect(secrets).toEqual(first);
});
