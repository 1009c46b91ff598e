import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Fields, openBrowser, type OwnerBrowser } from "../support/owner-browser.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
let browser: OwnerBrowser;
beforeEach(async () => {
  rest = await openRest();
  browser = openBrowser(rest);
  await browser.signIn();
});
afterEach(() => rest.close());

const CALLBACK = "http://127.0.0.1:19876/callback";
/** Reads and writes everything without expiry: the default choice on the page. */
const EVERYTHING = { containers: "all", permission: "write", expires: "" };
const APPROVED = { ...EVERYTHING, decision: "approve" };

const pathOf = (parameters: Record<string, string>, page = "/auth/connect") =>
  `${page}?${new URLSearchParams({ callback: CALLBACK, ...parameters }).toString()}`;
const keys = async () => (await rest.core.listKeys({ actor: rest.actor })).keys;
const answerOf = ({ location }: { location: string }) => new URL(location).searchParams;

describe("an approval", () => {
  test("creates a key for the client and passes it to the callback, with the address of the API", async () => {
    const path = pathOf({
      callback: `${CALLBACK}?state=a%2Fb+c&x=`,
      client: "claude_code",
      hostname: "mia",
      cwd: "/w",
    });
    const answer = await browser.fill(path, APPROVED);
    expect(answer.status).toBe(303);
    expect(answer.location.startsWith(`${CALLBACK}?state=a%2Fb+c&x=&apikey=sm_`)).toBe(true);
    expect(answerOf(answer).get("api_url")).toBe("http://127.0.0.1:6767");
    expect(await keys()).toMatchObject([
      {
        name: "Claude Code on mia in /w",
        kind: "plugin",
        client: "claude_code",
        grants: null,
        permission: "write",
        expiresAt: null,
      },
    ]);
    const headers = { authorization: `Bearer ${answerOf(answer).get("apikey")}` };
    expect(await rest.send("GET", "/v3/session", undefined, headers)).toMatchObject({ status: 200 });
  });

  test("grants what the owner chose and no more", async () => {
    await rest.core.updateContainer({ actor: rest.actor, operationId: "one" }, { containerTag: "work", name: "Work" });
    const path = pathOf({ client: "codex" });
    expect((await browser.get(path)).text).toContain('value="work"');
    const chosen = { containers: "some", container: ["work"], new_container: "mia", permission: "read", expires: "30" };
    await browser.fill(path, { ...chosen, decision: "approve" });
    const [key] = await keys();
    expect(key).toMatchObject({
      client: "codex",
      permission: "read",
      grants: [
        { containerTag: "work", permission: "read" },
        { containerTag: "mia", permission: "read" },
      ],
    });
    expect((Date.parse(key?.expiresAt ?? "") - Date.parse(key?.createdAt ?? "")) / 86_400_000).toBe(30);
  });

  test("of several clients creates a key for each", async () => {
    const answer = await browser.fill(pathOf({ client: "codex", clients: "codex,cursor,codex" }), APPROVED);
    const told = JSON.parse(Buffer.from(answerOf(answer).get("keys") ?? "", "base64url").toString()) as object;
    expect(told).toEqual({ codex: expect.stringMatching(/^sm_/), cursor: expect.stringMatching(/^sm_/) });
    expect(new Set(Object.values(told)).size).toBe(2);
    expect(answerOf(answer).get("apikey")).toBeNull();
    expect(answerOf(answer).get("api_url")).toBe("http://127.0.0.1:6767");
    expect((await keys()).map(({ client }) => client)).toEqual(["codex", "cursor"]);
  });

  test("of a command line creates an agent key of `cli`, of a desktop app one of `desktop`", async () => {
    await browser.fill(pathOf({ hostname: "mia" }, "/auth/agent-connect"), APPROVED);
    const app = await browser.fill(
      pathOf({ callback: "supermemory://auth-callback?state=s1" }, "/auth/desktop"),
      APPROVED,
    );
    expect(app.location).toMatch(/^supermemory:\/\/auth-callback\?state=s1&apikey=sm_\S+&api_url=http/);
    await browser.fill(pathOf({ callback: `${CALLBACK}?state=s2` }, "/auth/desktop"), APPROVED);
    expect(await keys()).toMatchObject([
      { kind: "agent", client: "cli", name: "Supermemory CLI on mia" },
      { kind: "agent", client: "desktop" },
      { kind: "agent", client: "desktop" },
    ]);
  });

  test("passes on the public address where there is one", async () => {
    const there = await openRest({ settings: { RECOLLECT_PUBLIC_URL: "https://memory.example" } });
    const visitor = openBrowser(there, { host: "memory.example" });
    const { code } = await there.core.createSignInCode({ actor: there.actor });
    const from = { origin: "https://memory.example" };
    await visitor.post("/auth/sign-in", (await visitor.get(`/auth/sign-in?code=${code}`)).hidden, from);
    const path = pathOf({ client: "codex" });
    const answer = await visitor.post(path, { ...(await visitor.get(path)).hidden, ...APPROVED }, from);
    expect(answerOf(answer).get("api_url")).toBe("https://memory.example");
    await there.close();
  });

  test("that is declined creates no key and is reported to the callback", async () => {
    const one = await browser.fill(pathOf({ callback: `${CALLBACK}?state=s`, client: "codex" }), {
      decision: "decline",
    });
    expect(one.location).toBe(`${CALLBACK}?state=s&error=access_denied`);
    const many = await browser.fill(pathOf({ clients: "codex,cursor" }), { decision: "decline" });
    expect(answerOf(many).get("error")).toBe("access_denied");
    expect(JSON.parse(Buffer.from(answerOf(many).get("errors") ?? "", "base64url").toString())).toEqual({
      codex: "The owner declined.",
      cursor: "The owner declined.",
    });
    expect(await keys()).toEqual([]);
  });

  test.each<[string, Fields]>([
    ["some containers and none of them", { ...APPROVED, containers: "some" }],
    ["all containers and one of them", { ...APPROVED, container: "work" }],
    ["an invalid container tag", { ...APPROVED, containers: "some", new_container: "not a tag!" }],
    ["nothing about containers", { permission: "write", expires: "", decision: "approve" }],
    ["an unknown permission", { ...APPROVED, permission: "owner" }],
    ["an unknown expiry", { ...APPROVED, expires: "99999" }],
  ])("with %s shows the form again, and creates no key", async (_words, fields) => {
    const answer = await browser.fill(pathOf({ client: "codex" }), fields);
    expect(answer).toMatchObject({ status: 400, location: "", text: expect.stringContaining('role="alert"') });
    expect(await keys()).toEqual([]);
    expect(await browser.post(pathOf({ client: "codex" }), { ...answer.hidden, ...APPROVED })).toMatchObject({
      status: 303,
    });
  });

  test("that neither approves nor declines is refused", async () => {
    expect((await browser.fill(pathOf({}), { ...EVERYTHING, decision: "perhaps" })).status).toBe(400);
  });
});

describe("the page", () => {
  test("asks for a sign-in first, and returns to the request afterwards", async () => {
    const stranger = openBrowser(rest);
    const path = pathOf({ callback: `${CALLBACK}?state=s`, client: "codex" });
    const { status, location } = await stranger.get(path);
    expect([status, location]).toEqual([303, `/auth/sign-in?next=${encodeURIComponent(path)}`]);
    const { secret } = await rest.core.createKey({ actor: rest.actor }, {});
    expect((await stranger.fill(location, { secret })).location).toBe(path);
    expect((await stranger.get(path)).status).toBe(200);
  });

  test("shows which program asks, from where, and where the answer goes", async () => {
    const { text } = await browser.get(pathOf({ client: "claude_code", hostname: "mia", os: "linux", cwd: "/home/w" }));
    for (const words of ["Claude Code asks to use your memory", "mia (linux)", "/home/w", "127.0.0.1:19876"])
      expect(text).toContain(words);
    expect(text).not.toContain("does not know this program");
  });

  test.each([{ client: "evil_tool" }, {}])("labels %o as unknown and offers the same choice", async (parameters) => {
    const { status, text } = await browser.get(pathOf(parameters));
    expect(status).toBe(200);
    expect(text).toMatch(/unknown program/i);
    expect(text).toContain("This server does not know this program");
    for (const field of ["containers", "permission", "expires"]) expect(text).toContain(`name="${field}"`);
  });

  test("allows its form to redirect to this callback only", async () => {
    const policyOf = async (callback: string) =>
      /form-action ([^;]*)/.exec(
        (await browser.get(pathOf({ callback }))).headers.get("content-security-policy") ?? "",
      )?.[1];
    expect(await policyOf(CALLBACK)).toBe("'self' http://127.0.0.1:19876");
    expect(await policyOf("http://localhost/callback")).toBe("'self' http://localhost");
    expect(await policyOf("http://[::1]:5/callback?a=b")).toBe("'self' http:");
  });

  test.each(["hostname", "os", "cwd", "cli_version", "client", "clients", "mode", "callback"])(
    "escapes the parameter %s",
    async (name) => {
      const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
      const { text } = await browser.get(pathOf({ client: "codex", [name]: evil }));
      expect(text).not.toMatch(/<script|<img/);
    },
  );

  test("shows no characters that hide or reverse text, and cuts long values", async () => {
    const { text } = await browser.get(pathOf({ hostname: `a\u202Eb\u0000c\u2028d ${"x".repeat(5_000)}` }));
    // oxlint-disable-next-line no-control-regex
    expect(text.split("<dl>")[1]?.split("</dl>")[0]).not.toMatch(/[\u202E\u0000\u2028]|x{200}/);
  });
});

test.each(["x".repeat(500), "🦜".repeat(250)])(
  "a long machine name is cut in the name of the key",
  async (hostname) => {
    const { status } = await browser.fill(pathOf({ client: "codex", hostname, cwd: hostname }), APPROVED);
    expect(status).toBe(303);
    expect((await keys())[0]?.name).toMatch(/^Codex on (x|🦜)+… in (x|🦜)+…$/u);
  },
);

describe("a callback that is not a program on this machine", () => {
  test.each([
    "https://127.0.0.1:1/callback",
    "http://evil.example/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://localhost.evil.example/callback",
    "http://evil.example#@127.0.0.1/callback",
    "http://user@127.0.0.1:1/callback",
    "http://127.0.0.1:1@evil.example/callback",
    "http://127.0.0.1:1\\@evil.example/callback",
    "http://127.0.0.1%2eevil.example/callback",
    "http://127.0.0.1:1/",
    "http://127.0.0.1:1/callback/",
    "http://127.0.0.1:1/callback/../evil",
    "http://127.0.0.1:1/evil/../callback",
    "http://127.0.0.1:1/%63allback",
    "http://127.0.0.1:1/callback;x",
    "http://127.0.0.1:1/callback#x",
    "http://127.0.0.1:99999/callback",
    "http://127.0.0.1:0/callback",
    "http://127.0.0.1:/callback",
    "http://127.1/callback",
    "http://2130706433/callback",
    "http://127.0.0.2/callback",
    "http://[::ffff:127.0.0.1]/callback",
    "http://0.0.0.0/callback",
    "HTTP://127.0.0.1/callback",
    "//127.0.0.1/callback",
    "javascript:alert(1)//127.0.0.1/callback",
    "data:text/html,127.0.0.1/callback",
    "supermemory://auth-callback?state=s",
    "http://127.0.0.1:1/callback?a=b\r\nset-cookie:c=d",
    "http://127.0.0.1:1/callback?a=b c",
    " http://127.0.0.1:1/callback",
    "http://127.0.0.1:1/callback?apikey=sm_evil",
    "http://127.0.0.1:1/callback?api_url=https://evil.example",
    "http://127.0.0.1:1/callback?a=b&API%5FURL=https://evil.example",
    "http://127.0.0.1:1/callback?keys=e30",
    `http://127.0.0.1:1/callback?${"x".repeat(3_000)}`,
    "",
  ])("%j is refused, and no key is created", async (callback) => {
    const path = `/auth/connect?${new URLSearchParams({ callback, client: "codex" }).toString()}`;
    const page = await browser.get(path);
    expect(page).toMatchObject({ status: 400, location: "" });
    expect(page.text).not.toContain("<form method");
    const { hidden } = await browser.get(pathOf({ client: "codex" }));
    expect(await browser.post(path, { ...hidden, ...APPROVED })).toMatchObject({ status: 400, location: "" });
    expect(await keys()).toEqual([]);
  });

  test.each([CALLBACK, "http://localhost/callback", "http://[::1]:3/callback", "http://127.0.0.1:1/callback?"])(
    "does not include %j, which receives a key",
    async (callback) => {
      const { location } = await browser.fill(pathOf({ callback }), APPROVED);
      expect(location).toMatch(/^http:\/\/[^/]+\/callback\?apikey=sm_/);
    },
  );

  test.each([
    "supermemory://auth-callback",
    "supermemory://evil?state=s",
    "supermemory://auth-callback?state=",
    CALLBACK,
  ])("a desktop app callback without a state, or elsewhere, is refused: %j", async (callback) => {
    expect(await browser.get(pathOf({ callback }, "/auth/desktop"))).toMatchObject({ status: 400, location: "" });
  });
});

describe("the form of an approval", () => {
  const path = pathOf({ client: "codex" });

  test("without its token, with that of another session, or from another site creates no key", async () => {
    const { hidden } = await browser.get(path);
    const other = openBrowser(rest);
    await other.signIn();
    const { hidden: foreign } = await other.get(path);
    for (const token of ["", "x", foreign["form_token"] ?? ""])
      expect((await browser.post(path, { ...hidden, ...APPROVED, form_token: token })).status).toBe(403);
    expect((await browser.post(path, { ...hidden, ...APPROVED, request: foreign["request"] ?? "" })).status).toBe(403);
    expect((await browser.post(path, { ...hidden, ...APPROVED }, { origin: "https://evil.example" })).status).toBe(403);
    expect((await browser.post(path, { ...hidden, ...APPROVED }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(await keys()).toEqual([]);
  });

  test("is valid only for the callback and client that were shown", async () => {
    const { hidden } = await browser.get(path);
    for (const other of [
      pathOf({ client: "cursor" }),
      pathOf({ client: "codex", callback: "http://127.0.0.1:2/callback" }),
    ])
      expect((await browser.post(other, { ...hidden, ...APPROVED })).status).toBe(403);
    expect(await keys()).toEqual([]);
  });

  test("is accepted once, however often it is sent", async () => {
    const { hidden } = await browser.get(path);
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(path, { ...hidden, ...APPROVED })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([303, 409, 409]);
    expect(await keys()).toHaveLength(1);
  });

  test("is no longer accepted after the sign-in ended", async () => {
    const { hidden } = await browser.get(path);
    const [signIn] = (await rest.core.listSignIns({ actor: rest.actor })).signIns;
    await rest.core.endSignIn({ actor: rest.actor }, { id: signIn?.id });
    expect(await browser.post(path, { ...hidden, ...APPROVED })).toMatchObject({
      location: `/auth/sign-in?next=${encodeURIComponent(path)}`,
    });
    expect(await keys()).toEqual([]);
  });
});

describe("the key", () => {
  test("appears in no log, request record, cache or referrer", async () => {
    const answer = await browser.fill(pathOf({ client: "codex" }), APPROVED);
    const key = answerOf(answer).get("apikey") ?? "";
    expect(key).toMatch(/^sm_[^_]+_\S{40,}$/);
    await rest.recorded();
    expect(JSON.stringify(rest.log)).not.toContain(key);
    expect(JSON.stringify(await rest.core.listRequests({ actor: rest.actor }, {}))).not.toContain(key);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.text).toBe("");
  });
});

describe("GET /v3/auth/key", () => {
  const path = `/v3/auth/key?${new URLSearchParams({ client: "codex", callback: CALLBACK }).toString()}`;
  const fromPage = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };

  test("returns the key of a client to a page of this server", async () => {
    const answer = await browser.get(path, fromPage);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ key: expect.stringMatching(/^sm_/) });
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await keys()).toMatchObject([{ client: "codex", kind: "plugin" }]);
    expect((await browser.get(path, { origin: "http://127.0.0.1:6767" })).status).toBe(200);
  });

  test.each([
    [{}],
    [{ "sec-fetch-site": "none" }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
    [{ origin: "https://evil.example" }],
    [{ origin: "http://127.0.0.1:1" }],
    [{ origin: "null" }],
    [{ ...fromPage, origin: "https://evil.example" }],
    [{ ...fromPage, "sec-fetch-mode": "navigate" }],
  ])("is refused with the headers %o", async (headers) => {
    expect((await browser.get(path, headers)).status).toBe(403);
    expect(await keys()).toEqual([]);
  });

  test("requires a signed-in browser, a valid client and a local callback", async () => {
    expect((await openBrowser(rest).get(path, fromPage)).status).toBe(401);
    const elsewhere = `/v3/auth/key?${new URLSearchParams({ client: "codex", callback: "https://evil.example/callback" }).toString()}`;
    expect((await browser.get(elsewhere, fromPage)).status).toBe(400);
    expect((await browser.get("/v3/auth/key?client=a%20b", fromPage)).status).toBe(400);
    expect(await keys()).toEqual([]);
  });
});

test("the audit log records who approved what, and from where", async () => {
  const answer = await browser.fill(pathOf({ client: "codex" }), {
    ...APPROVED,
    containers: "some",
    new_container: "mia",
  });
  const { items } = await rest.core.listAudit({ actor: rest.actor }, {});
  const [key] = await keys();
  const id = key?.id ?? "";
  expect(items).toContainEqual(
    expect.objectContaining({
      action: "connectClients",
      outcome: "ok",
      actor: expect.stringMatching(/^sign-in:/),
      containerTags: ["mia"],
      subjectIds: [id],
      face: "console",
      address: "127.0.0.1",
      client: "Test browser",
    }),
  );
  expect(JSON.stringify(items)).not.toContain(answerOf(answer).get("apikey"));
});
