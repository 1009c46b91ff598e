import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBrowser, type OwnerBrowser } from "../support/owner-browser.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
let browser: OwnerBrowser;
beforeEach(async () => {
  rest = await openRest();
  browser = openBrowser(rest);
});
afterEach(() => rest.close());

const newCode = async () => (await rest.core.createSignInCode({ actor: rest.actor })).code;
const newKey = async (limits: object = {}) => (await rest.core.createKey({ actor: rest.actor }, limits)).secret;
const isSignedIn = async () => (await browser.get("/auth")).status === 200;

describe("a sign-in link", () => {
  test("signs in with one press, and is not used up by a preview", async () => {
    const path = `/auth/sign-in?code=${await newCode()}`;
    const previews = await Promise.all([1, 2, 3].map(() => openBrowser(rest).get(path)));
    expect(previews.map(({ status }) => status)).toEqual([200, 200, 200]);
    const answer = await browser.fill(path, {});
    expect(answer).toMatchObject({ status: 303, location: "/auth" });
    expect(await isSignedIn()).toBe(true);
    const again = await openBrowser(rest).fill(path, {});
    expect(again).toMatchObject({ status: 401, text: expect.stringContaining("This link was already used") });
  });

  test("may be previewed with HEAD", async () => {
    const path = `/auth/sign-in?code=${await newCode()}`;
    expect((await rest.app.request(path, { method: "HEAD", headers: { host: "127.0.0.1:6767" } })).status).toBe(200);
    expect((await browser.fill(path, {})).status).toBe(303);
  });
});

describe("a secret", () => {
  test("an unlimited key signs in; a limited or wrong one does not, and the page says why", async () => {
    const page = "/auth/sign-in";
    expect(await browser.fill(page, { secret: await newKey({ permission: "read" }) })).toMatchObject({ status: 403 });
    const wrong = await browser.fill(page, { secret: "sm_x_y<script>" });
    expect(wrong).toMatchObject({ status: 401, text: expect.stringContaining('role="alert"') });
    expect(wrong.text).not.toContain("sm_x_y");
    expect(await browser.fill(page, { secret: ` ${await newKey()} ` })).toMatchObject({ status: 303 });
    expect(await isSignedIn()).toBe(true);
  });

  test("the password signs in where one is set, and the page asks for it only then", async () => {
    expect((await browser.get("/auth/sign-in")).text).not.toContain("Password");
    await rest.core.setPassword({ actor: rest.actor }, { password: "correct horse battery" });
    expect((await browser.get("/auth/sign-in")).text).toContain("Password");
    expect(await browser.fill("/auth/sign-in", { secret: "wrong horse battery" })).toMatchObject({ status: 401 });
    expect(await browser.fill("/auth/sign-in", { secret: "correct horse battery" })).toMatchObject({ status: 303 });
  });

  test("attempts are limited by the address of the connection, whatever a header says", async () => {
    const path = "/auth/sign-in";
    const { hidden } = await browser.get(path);
    const statuses = [];
    for (let attempt = 0; attempt < 11; attempt++) {
      const headers = { "x-forwarded-for": `10.0.0.${attempt}` };
      statuses.push((await browser.post(path, { ...hidden, secret: "sm_a_wrong" }, headers)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    const elsewhere = openBrowser(rest, { peer: "10.1.1.1" });
    expect((await elsewhere.fill(path, { secret: await newKey() })).status).toBe(303);
    expect((await browser.fill(`${path}?code=${await newCode()}`, {})).status).toBe(303);
  });
});

describe("the session", () => {
  const session = () => browser.cookies.get("recollect_session /auth");

  test("is a cookie that no script, other site or program on another port of this host receives", async () => {
    await browser.signIn();
    expect([...browser.cookies.keys()].filter((key) => key.startsWith("recollect_session"))).toEqual([
      "recollect_session /auth",
      "recollect_session /v3/auth",
    ]);
    expect(session()?.flags).toMatch(/^Path=\/auth; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  });

  test("is bound to the host and to TLS behind https", async () => {
    const secure = await openRest({ settings: { RECOLLECT_PUBLIC_URL: "https://memory.example" } });
    const there = openBrowser(secure, { host: "memory.example" });
    const { code } = await secure.core.createSignInCode({ actor: secure.actor });
    const { hidden } = await there.get(`/auth/sign-in?code=${code}`);
    const answer = await there.post("/auth/sign-in", hidden, { origin: "https://memory.example" });
    expect(answer.status).toBe(303);
    for (const name of ["__Host-recollect_session /", "__Host-recollect_visit /"])
      expect(there.cookies.get(name)?.flags).toMatch(/^Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    await secure.close();
  });

  test("of a local browser stays limited to /auth, and is not valid at a public address", async () => {
    const both = await openRest({ settings: { RECOLLECT_PUBLIC_URL: "https://memory.example" } });
    const near = openBrowser(both);
    await near.signIn();
    expect([...near.cookies.keys()]).toContain("recollect_session /auth");
    const proxied = await near.get("/auth/sign-in", { "x-forwarded-proto": "https" });
    expect(proxied.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-recollect_visit=\w+; Path=\/; Secure;/),
    ]);
    const far = openBrowser(both, { host: "memory.example" });
    for (const [key, cookie] of near.cookies) far.cookies.set(key, cookie);
    expect((await far.get("/auth")).status).toBe(303);
    await both.close();
  });

  test("gets a new id with every sign-in and ends the old one, so that it cannot be fixed beforehand", async () => {
    browser.cookies.set("recollect_session /auth", { value: "planted", path: "/auth", flags: "" });
    await browser.signIn();
    const first = session()?.value ?? "";
    expect(first).not.toBe("planted");
    expect(first.length).toBeGreaterThanOrEqual(43);
    await browser.signIn();
    expect(session()?.value).not.toBe(first);
    const stale = openBrowser(rest);
    stale.cookies.set("recollect_session /auth", { value: first, path: "/auth", flags: "" });
    expect((await stale.get("/auth")).location).toBe("/auth/sign-in?next=%2Fauth");
  });

  test("ends with the sign-out button, and with `endSignIn` from elsewhere", async () => {
    await browser.signIn();
    const page = await browser.get("/auth");
    const token = /action="\/auth\/sign-out"[^]*?name="form_token" value="([^"]+)"/.exec(page.text)?.[1];
    expect((await browser.post("/auth/sign-out", { form_token: "x" })).status).toBe(403);
    expect(await isSignedIn()).toBe(true);
    expect(await browser.post("/auth/sign-out", { form_token: token ?? "" })).toMatchObject({ status: 303 });
    expect(session()).toBeUndefined();
    await browser.signIn();
    const { signIns } = await rest.core.listSignIns({ actor: rest.actor });
    expect(signIns).toMatchObject([{ how: "link", client: "Test browser" }]);
    await rest.core.endSignIn({ actor: rest.actor }, { id: signIns[0]?.id });
    expect(await isSignedIn()).toBe(false);
  });

  test("grants no access to the API, which needs a key", async () => {
    await browser.signIn();
    const { value = "" } = session() ?? {};
    const answer = await rest.app.request(
      "/v3/session",
      { headers: { host: "127.0.0.1:6767", origin: "http://127.0.0.1:6767", cookie: `recollect_session=${value}` } },
      { incoming: { socket: { remoteAddress: "127.0.0.1" } }, isLoopbackOnly: true },
    );
    expect(answer.status).toBe(401);
  });
});

describe("forms that were not sent from a page of this server", () => {
  const page = "/auth/sign-in";

  test("without the token, or with that of another browser, sign nobody in", async () => {
    const { hidden: foreign } = await openBrowser(rest).get(page);
    const secret = await newKey();
    expect((await browser.post(page, { secret })).status).toBe(403);
    await browser.get(page);
    for (const form_token of ["", "x", foreign["form_token"] ?? ""])
      expect([form_token, (await browser.post(page, { form_token, secret })).status]).toEqual([form_token, 403]);
  });

  test.each([
    [{ origin: "https://evil.example" }],
    [{ origin: "http://127.0.0.1:8080" }],
    [{ origin: "http://localhost:6767" }],
    [{ origin: "null" }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
  ])("with %o are refused, even with the token", async (headers) => {
    const { hidden } = await browser.get(page);
    expect((await browser.post(page, { ...hidden, secret: await newKey() }, headers)).status).toBe(403);
  });

  test.each(["evil.example", "evil.example:6767", "127.0.0.1.evil.example"])(
    "are not shown under the host name %s (DNS rebinding)",
    async (host) => {
      const answer = await openBrowser(rest, { host }).get(page);
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain("<form");
    },
  );

  test("are refused if the body is not a form, or too large", async () => {
    const { hidden } = await browser.get(page);
    expect((await browser.post(page, hidden, { "content-type": "text/plain" })).status).toBe(415);
    expect((await browser.post(page, { ...hidden, secret: "x".repeat(70_000) })).status).toBe(413);
  });
});

describe("where the browser goes after signing in", () => {
  test.each([
    ["/auth/device?user_code=BCDF-GHJK", "/auth/device?user_code=BCDF-GHJK"],
    [
      "/auth/connect?callback=http%3A%2F%2F127.0.0.1%2Fcallback",
      "/auth/connect?callback=http%3A%2F%2F127.0.0.1%2Fcallback",
    ],
    ["//evil.example", "/auth"],
    ["///evil.example", "/auth"],
    ["/\\evil.example", "/auth"],
    ["\\\\evil.example", "/auth"],
    ["/%2Fevil.example", "/auth"],
    ["/%5Cevil.example", "/auth"],
    ["/x/..//evil.example", "/auth"],
    ["/.//evil.example", "/auth"],
    ["/%2e%2e//evil.example", "/auth"],
    ["https://evil.example", "/auth"],
    ["https:evil.example", "/auth"],
    ["javascript:alert(1)", "/auth"],
    ["evil.example", "/auth"],
    ["@evil.example", "/auth"],
    ["/\tx", "/auth"],
    ["\t//evil.example", "/auth"],
    ["/\r\nset-cookie: a=b", "/auth"],
    [`/${"x".repeat(9_000)}`, "/auth"],
    ["", "/auth"],
  ])("%j redirects to %j", async (next, location) => {
    const { hidden } = await browser.get(
      `/auth/sign-in?${new URLSearchParams({ next, code: await newCode() }).toString()}`,
    );
    expect(hidden["next"]).toBe(location);
    expect(await browser.post("/auth/sign-in", { ...hidden, next })).toMatchObject({ status: 303, location });
  });
});

describe("every page", () => {
  test.each(["/auth/sign-in", "/auth/sign-in?code=x", "/auth/nowhere", "/auth/connect"])(
    "%s is not cached, cannot be framed, and runs no scripts",
    async (path) => {
      const { headers, text } = await browser.get(path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(text).not.toMatch(/<script|javascript:|https?:\/\/(?!127)/i);
    },
  );

  test("escapes text from others", async () => {
    const evil = '"><img src=x onerror=alert(1)>';
    const { text } = await browser.get(`/auth/sign-in?${new URLSearchParams({ code: evil, next: evil }).toString()}`);
    expect(text).not.toContain("<img");
    expect((await browser.get(`/auth/${encodeURIComponent(evil)}`)).text).not.toContain("<img");
  });

  test("an unsupported method on a known path returns 405 with the allowed methods", async () => {
    const answer = await rest.app.request("/auth/sign-in", { method: "DELETE", headers: { host: "127.0.0.1:6767" } });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });
});
