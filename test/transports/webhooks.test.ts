import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { createGithubConnector } from "../../src/connectors/github/github.js";
import { createGoogleDriveConnector } from "../../src/connectors/google/drive/google-drive.js";
import { createOneDriveConnector } from "../../src/connectors/onedrive/onedrive.js";
import { AppError } from "../../src/core/errors.js";
import type { Connector, ConnectorWebhooks } from "../../src/core/ports.js";
import { useCleanups } from "../support/cleanups.js";
import { AdvancedClock, ManualClock } from "../support/clock.js";
import { ONLINE } from "../support/connection.js";
import { findProgram, startNginx } from "../support/proxies.js";
import { type OpenedRest, openRest, type RestOptions } from "../support/rest.js";
import { GITHUB_TOKEN, startGithub } from "../support/scripted-github.js";
import { startScriptedGoogleDrive } from "../support/scripted-google-drive.js";
import { startScriptedOneDrive } from "../support/scripted-onedrive.js";
import { deliver, type Delivered } from "../support/webhook-delivery.js";

/* Sources that notify of changes, from registration to removal, over sockets. */

const PUBLIC = { RECOLLECT_PUBLIC_URL: "https://memory.example" };
const ADDRESS = "https://memory.example/v3/connections/webhooks/";
const REFUSAL = "No source sends messages to this address.";
const HOUR_MS = 60 * 60_000;
/** How long messages are collected before a run. */
const GATHERED_MS = 5_000;
const SOON = { timeout: 20_000, interval: 50 };

interface Scripted {
  listening: string | null;
  notify(proof?: string): Promise<Delivered[]>;
  close(): Promise<unknown>;
}

interface Followed {
  readonly scripted: Scripted;
  readonly connector: Connector;
  readonly token: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Number of webhooks registered at the provider. */
  registered(): number;
  /** When the last of them expires (ISO 8601). */
  endsAt?(): string | undefined;
}

const cleanups = useCleanups();

const providers: Record<string, () => Promise<Followed>> = {
  async github() {
    const scripted = await startGithub();
    scripted.files.set("README.md", "# The farm\n\nForty pear trees stand here.");
    scripted.commit();
    const connector = createGithubConnector({ apiUrl: scripted.url });
    return { scripted, connector, token: GITHUB_TOKEN, settings: {}, registered: () => scripted.hooks.size };
  },
  async "google-drive"() {
    const scripted = await startScriptedGoogleDrive("good");
    const connector = withToken(createGoogleDriveConnector({ baseUrl: scripted.url }));
    const settings = { syncScope: "full" };
    const endsAt = () => {
      const last = [...scripted.channels.values()].at(-1);
      return last && new Date(Number(last.expiration)).toISOString();
    };
    return { scripted, connector, token: "good", settings, registered: () => scripted.channels.size, endsAt };
  },
  async onedrive() {
    const scripted = await startScriptedOneDrive("good");
    const connector = withToken(createOneDriveConnector({ baseUrl: scripted.url }));
    const endsAt = () => [...scripted.subscriptions.values()].at(-1)?.expirationDateTime;
    return { scripted, connector, token: "good", settings: {}, registered: () => scripted.subscriptions.size, endsAt };
  },
};
const NAMES = Object.keys(providers);

/** The connector with a token supplied, in place of signing in. */
function withToken(connector: Connector): Connector {
  if (connector.signIn.kind !== "oauth") throw new Error(`${connector.provider} has no sign-in.`);
  const fields = connector.fields.extend({ token: z.string().optional() });
  const signIn = { ...connector.signIn, tokenField: "token" };
  return { ...connector, signIn, fields, secretFields: [...connector.secretFields, "token"] };
}

async function start(provider: string): Promise<Followed> {
  const begin = providers[provider];
  if (!begin) throw new Error(`There is no ${provider}.`);
  const followed = await begin();
  cleanups.push(() => followed.scripted.close());
  return followed;
}

async function open({ connector, scripted }: Followed, options: RestOptions = {}): Promise<OpenedRest> {
  const settings = { ...ONLINE, ...PUBLIC, ...options.settings };
  const rest = await openRest({ asOwner: true, connectors: [connector], ...options, settings });
  cleanups.push(() => rest.close());
  scripted.listening = (await rest.listen()).url;
  return rest;
}

async function ok(rest: OpenedRest, method: string, path: string, body?: unknown) {
  const answer = await rest.send(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(400);
  return answer.body;
}

/** Connects the provider, selects resources where there are any, and waits for the first run. */
async function connect(rest: OpenedRest, { connector, token, settings }: Followed): Promise<string> {
  const { provider } = connector;
  const wanted = { containerTag: "farm", metadata: { token, ...settings } };
  const { id } = await ok(rest, "POST", `/v3/connections/${provider}`, wanted);
  if (provider === "github") {
    const { resources } = await ok(rest, "GET", `/v3/connections/${id}/resources`);
    await ok(rest, "POST", `/v3/connections/${id}/configure`, { resources });
  }
  await rest.settle();
  return id;
}

async function runs(rest: OpenedRest, id: string): Promise<number> {
  await rest.settle();
  return (await ok(rest, "GET", `/v3/connections/${id}/sync-runs`)).length;
}

async function opened(provider: string, options: RestOptions = {}) {
  const followed = await start(provider);
  const rest = await open(followed, options);
  return { followed, rest, id: await connect(rest, followed) };
}

test.each(NAMES)(
  "%s: registers a webhook, runs once for several messages, and removes it with the connection",
  async (name) => {
    const clock = new AdvancedClock();
    const { followed, rest, id } = await opened(name, { clock });
    expect(followed.registered()).toBe(1);
    expect(await runs(rest, id)).toBe(1);
    for (let sent = 0; sent < 5; sent += 1)
      expect(await followed.scripted.notify()).toMatchObject([{ status: 200, text: "" }]);
    clock.advance(GATHERED_MS);
    await expect.poll(() => runs(rest, id), SOON).toBe(2);
    await followed.scripted.notify();
    clock.advance(GATHERED_MS);
    await expect.poll(() => runs(rest, id), SOON).toBe(3);
    await ok(rest, "DELETE", `/v3/connections/${id}`);
    await rest.settle();
    expect(followed.registered()).toBe(0);
  },
);

test.each(NAMES)("%s: registers no webhook without a public address", async (name) => {
  const followed = await start(name);
  const rest = await open(followed, { settings: { RECOLLECT_PUBLIC_URL: "" } });
  const id = await connect(rest, followed);
  expect(followed.registered()).toBe(0);
  const answer = await deliver(followed.scripted.listening ?? "", { address: `${ADDRESS}${id}`, body: "{}" });
  expect([answer.status, JSON.parse(answer.text).error]).toEqual([404, REFUSAL]);
});

test.each(NAMES)("%s: a message without proof has no effect and reveals nothing", async (name) => {
  const { followed, rest, id } = await opened(name);
  const listening = followed.scripted.listening ?? "";
  const send = (address: string, body = "{}", headers = {}) => deliver(listening, { address, body, headers });
  const told = ({ status, text, type }: Delivered) => [status, JSON.parse(text).error, type];
  const unknown = told(await send(`${ADDRESS}nobody`));
  expect(unknown.slice(0, 2)).toEqual([404, REFUSAL]);
  const [wrong] = await followed.scripted.notify("a guess of what the secret is, which it is not");
  if (!wrong) throw new Error("Nothing was sent.");
  const forged = { "x-hub-signature-256": "sha256=", "x-goog-channel-token": "" };
  const refused = [
    wrong,
    await send(`${ADDRESS}${id}`),
    await send(`${ADDRESS}${id}`, '{"value":[{"clientSt'),
    await send(`${ADDRESS}${id}`, '{"value":[]}', forged),
    await send(`${ADDRESS}${id}`, ""),
    await send(`${ADDRESS}${encodeURIComponent("../x\u0000")}`),
  ];
  expect(refused.slice(0, 5).map(told)).toEqual(Array.from({ length: 5 }, () => unknown));
  expect(refused.at(5)?.status).toBeGreaterThanOrEqual(400);
  expect((await send(`${ADDRESS}${id}`, "x".repeat(2_000_000))).status).toBe(413);
  expect(await runs(rest, id)).toBe(1);
});

test("unauthenticated senders are rate-limited, and cannot tell one address from another", async () => {
  const { followed, id } = await opened("github");
  const listening = followed.scripted.listening ?? "";
  const statuses: number[] = [];
  for (let sent = 0; sent < 120; sent += 1) {
    const address = `${ADDRESS}${sent % 2 === 0 ? id : `guess${sent}`}`;
    statuses.push((await deliver(listening, { address, body: "{}" })).status);
  }
  expect(new Set(statuses.slice(0, 60))).toEqual(new Set([404]));
  // One message per second is allowed again, even while these are sent.
  expect(statuses.slice(60).filter((status) => status === 429).length).toBeGreaterThan(30);
});

test("OneDrive's validation is answered as plain text, and only while webhooks are registered", async () => {
  const followed = await start("onedrive");
  const { webhooks } = followed.connector;
  if (!webhooks) throw new Error("OneDrive has webhooks.");
  const script = "<script>alert(1)</script>";
  const ask = (id: string) =>
    fetch(
      `${followed.scripted.listening}/v3/connections/webhooks/${id}?validationToken=${encodeURIComponent(script)}`,
      {
        method: "POST",
      },
    );
  const answers: Response[] = [];
  const asking: ConnectorWebhooks = {
    ...webhooks,
    async register(access, target, former) {
      answers.push(await ask(new URL(target.url).pathname.split("/").at(-1) ?? ""));
      return webhooks.register(access, target, former);
    },
  };
  const rest = await open({ ...followed, connector: { ...followed.connector, webhooks: asking } });
  const id = await connect(rest, followed);
  const [answer] = answers;
  expect([answer?.status, await answer?.text()]).toEqual([200, script]);
  expect(answer?.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(answer?.headers.get("x-content-type-options")).toBe("nosniff");
  const told = await Promise.all([id, "nobody"].map(async (name) => [(await ask(name)).status]));
  expect(told).toEqual([[404], [404]]);
});

test.each(NAMES)("%s: a paused connection has no webhooks, and has them again afterwards", async (name) => {
  const { followed, rest, id } = await opened(name);
  await ok(rest, "POST", `/v3/connections/${id}/configure`, { isPaused: true });
  expect(followed.registered()).toBe(0);
  await ok(rest, "POST", `/v3/connections/${id}/configure`, { isPaused: false });
  expect(followed.registered()).toBe(1);
  await rest.settle();
  await ok(rest, "POST", `/v3/connections/${id}/reconnect`, { metadata: { token: followed.token } });
  await rest.settle();
  expect(followed.registered()).toBe(1);
  expect(await followed.scripted.notify()).toMatchObject([{ status: 200 }]);
});

test("a connection can be removed when its source is unreachable and webhooks stay behind", async () => {
  const { followed, rest, id } = await opened("onedrive");
  await followed.scripted.close();
  await ok(rest, "DELETE", `/v3/connections/${id}`);
  await rest.settle();
  expect((await rest.send("GET", `/v3/connections/${id}`)).status).toBe(404);
});

test.each(["google-drive", "onedrive"])("%s: webhooks are renewed before they expire", async (name) => {
  const followed = await start(name);
  const ends: (string | undefined)[] = [];
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-webhooks-"));
  cleanups.push(() => rm(dataDirectory, { recursive: true }));
  const first = await open(followed, { dataDirectory });
  await connect(first, followed);
  ends.push(followed.endsAt?.());
  await first.close();
  const clock = new ManualClock(new Date(Date.parse(ends[0] ?? "") - 12 * HOUR_MS).toISOString());
  const second = await open(followed, { dataDirectory, clock });
  await expect.poll(() => followed.endsAt?.(), SOON).not.toBe(ends[0]);
  expect(Date.parse(followed.endsAt?.() ?? "")).toBeGreaterThan(Date.parse(ends[0] ?? ""));
  // The former webhook is removed once the new one exists.
  await expect.poll(() => followed.registered(), SOON).toBe(1);
  await second.settle();
  expect(await followed.scripted.notify()).toMatchObject([{ status: 200 }]);
});

test("a message during a run causes one more run afterwards", async () => {
  const github = await startGithub();
  cleanups.push(() => github.close());
  github.files.set("README.md", "# The farm\n\nForty pear trees stand here.");
  github.commit();
  const connector = createGithubConnector({ apiUrl: github.url });
  const followed = {
    scripted: github,
    connector,
    token: GITHUB_TOKEN,
    settings: {},
    registered: () => github.hooks.size,
  };
  const clock = new AdvancedClock();
  const rest = await open(followed, { clock });
  const id = await connect(rest, followed);
  github.files.set("one.md", "# One\n\nThe first.");
  github.commit();
  github.fail({ kind: "slow", ms: 3_000, path: /git\/blobs/ }, 1);
  await ok(rest, "POST", `/v3/connections/${id}/sync`);
  await expect.poll(() => github.asked.at(-1), SOON).toMatch(/blobs|commits|compare/);
  github.files.set("two.md", "# Two\n\nThe second.");
  github.commit();
  for (let sent = 0; sent < 3; sent += 1) await github.notify();
  clock.advance(GATHERED_MS);
  await expect.poll(() => runs(rest, id), { timeout: 25_000, interval: 50 }).toBe(3);
  expect((await ok(rest, "GET", `/v3/connections/${id}`)).documentCount).toBe(3);
});

test("a webhook registered with an invalid answer is removed again", async () => {
  const followed = await start("onedrive");
  const { webhooks } = followed.connector;
  if (!webhooks) throw new Error("OneDrive has webhooks.");
  let isNonsense = true;
  const odd: ConnectorWebhooks = {
    ...webhooks,
    async register(...wanted) {
      const made = await webhooks.register(...wanted);
      return isNonsense ? { ...made, expiresAt: "soon" } : made;
    },
  };
  const said = { ...followed, connector: { ...followed.connector, webhooks: odd } };
  const rest = await open(said);
  const id = await connect(rest, said);
  expect(followed.registered()).toBe(0);
  isNonsense = false;
  await ok(rest, "POST", `/v3/connections/${id}/configure`, { everyMinutes: 60 });
  expect(followed.registered()).toBe(1);
});

test("a connection can be removed when its source refuses to remove the webhooks", async () => {
  const { followed, rest, id } = await opened("github");
  const { scripted } = followed;
  if (!("mayHook" in scripted)) throw new Error("This is not GitHub.");
  scripted.mayHook = false;
  await ok(rest, "DELETE", `/v3/connections/${id}`);
  await rest.settle();
  expect((await rest.send("GET", `/v3/connections/${id}`)).status).toBe(404);
  expect(followed.registered()).toBe(1);
  expect(await scripted.notify()).toMatchObject([{ status: 404 }]);
});

/** The connector, whose webhooks cannot be removed while `isDown` returns true. */
function stubborn(connector: Connector, isDown: () => boolean): Connector {
  const { webhooks } = connector;
  if (!webhooks) throw new Error(`${connector.provider} has webhooks.`);
  const remove: ConnectorWebhooks["remove"] = async (access, detail) => {
    if (isDown()) throw new AppError("unavailable", "The source reported a server error (status 503).");
    await webhooks.remove(access, detail);
  };
  return { ...connector, webhooks: { ...webhooks, remove } };
}

async function openedFolder(): Promise<string> {
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-webhooks-"));
  cleanups.push(() => rm(dataDirectory, { recursive: true }));
  return dataDirectory;
}

const hoursAhead = (hours: number) => new ManualClock(new Date(Date.now() + hours * HOUR_MS).toISOString());

test("webhooks that could not be removed at a pause are removed once the source responds", async () => {
  const followed = await start("github");
  let isDown = true;
  const said = { ...followed, connector: stubborn(followed.connector, () => isDown) };
  const dataDirectory = await openedFolder();
  const first = await open(said, { dataDirectory });
  const id = await connect(first, said);
  await ok(first, "POST", `/v3/connections/${id}/configure`, { isPaused: true });
  expect(followed.registered()).toBe(1);
  expect(await followed.scripted.notify()).toMatchObject([{ status: 404 }]);
  await first.close();
  isDown = false;
  await open(said, { dataDirectory, clock: hoursAhead(2) });
  await expect.poll(() => followed.registered(), SOON).toBe(0);
});

test("webhooks that could not be removed with their connection are removed once the source responds", async () => {
  const followed = await start("github");
  let isDown = true;
  const said = { ...followed, connector: stubborn(followed.connector, () => isDown) };
  const dataDirectory = await openedFolder();
  const first = await open(said, { dataDirectory });
  const id = await connect(first, said);
  await ok(first, "DELETE", `/v3/connections/${id}?deleteDocuments=false`);
  await first.settle();
  expect((await first.send("GET", `/v3/connections/${id}`)).status).toBe(404);
  await first.close();
  isDown = false;
  const second = await open(said, { dataDirectory, clock: hoursAhead(2) });
  await expect.poll(() => followed.registered(), SOON).toBe(0);
  await second.settle();
  expect((await ok(second, "POST", "/v3/documents/list", {})).memories).toHaveLength(1);
});

test("a copy of a data folder without a public address leaves the original's webhooks in place", async () => {
  const followed = await start("github");
  const dataDirectory = await openedFolder();
  const first = await open(followed, { dataDirectory });
  await connect(first, followed);
  await first.close();
  const copy = await openedFolder();
  await cp(dataDirectory, copy, { recursive: true });
  const second = await open(followed, {
    dataDirectory: copy,
    clock: hoursAhead(1),
    settings: { RECOLLECT_PUBLIC_URL: "" },
  });
  await second.settle();
  expect(followed.registered()).toBe(1);
});

test("a webhook that was removed at GitHub is registered again within two days", async () => {
  const followed = await start("github");
  const { scripted } = followed;
  if (!("hooks" in scripted)) throw new Error("This is not GitHub.");
  const dataDirectory = await openedFolder();
  const first = await open(followed, { dataDirectory });
  await connect(first, followed);
  await first.close();
  (scripted.hooks as Map<unknown, unknown>).clear();
  await open(followed, { dataDirectory, clock: hoursAhead(48) });
  await expect.poll(() => followed.registered(), SOON).toBe(1);
});

test("while the encryption key is missing, unauthenticated senders get the usual answer", async () => {
  const followed = await start("github");
  const dataDirectory = await openedFolder();
  const rest = await open(followed, { dataDirectory });
  const id = await connect(rest, followed);
  await rm(join(dataDirectory, "secret.key"));
  const told = async (name: string) => {
    const { status, text } = await deliver(followed.scripted.listening ?? "", {
      address: `${ADDRESS}${name}`,
      body: "{}",
    });
    return [status, (JSON.parse(text) as { error: string }).error];
  };
  expect(await told(id)).toEqual(await told("nobody"));
});

test("a shared drive that refuses a webhook leaves no unknown webhook behind", async () => {
  const scripted = await startScriptedGoogleDrive("good");
  cleanups.push(() => scripted.close());
  scripted.addDrive("Closed");
  const connector = withToken(createGoogleDriveConnector({ baseUrl: scripted.url }));
  const { webhooks } = connector;
  if (!webhooks) throw new Error("Google Drive has webhooks.");
  const closed: ConnectorWebhooks = {
    ...webhooks,
    register: (access, target, former) =>
      webhooks.register(
        {
          ...access,
          request(request) {
            if (!/changes\/watch.*driveId/.test(request.url)) return access.request(request);
            throw new AppError("unavailable", "The source reported a server error (status 500).");
          },
        },
        target,
        former,
      ),
  };
  const settings = { syncScope: "full" };
  const registered = () => scripted.channels.size;
  const followed = { scripted, connector: { ...connector, webhooks: closed }, token: "good", settings, registered };
  const rest = await open(followed);
  await connect(rest, followed);
  expect(registered()).toBe(0);
});

const nginx = findProgram("nginx");

test.skipIf(nginx === undefined)("nginx passes on OneDrive's validation and its messages (needs nginx)", async () => {
  const followed = await start("onedrive");
  const clock = new AdvancedClock();
  const rest = await open(followed, { clock, settings: { RECOLLECT_TRUSTED_PROXIES: "127.0.0.1" } });
  const target = followed.scripted.listening ?? "";
  const proxy = await startNginx(
    nginx ?? "",
    ({ port }) => `server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${target};
      proxy_set_header Host memory.example;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto https;
    }
  }`,
  );
  cleanups.push(() => proxy.close());
  followed.scripted.listening = `http://127.0.0.1:${proxy.port}`;
  const id = await connect(rest, followed);
  expect(followed.registered()).toBe(1);
  expect(await followed.scripted.notify()).toMatchObject([{ status: 200, text: "" }]);
  expect(await followed.scripted.notify("a guess")).toMatchObject([{ status: 404 }]);
  clock.advance(GATHERED_MS);
  await expect.poll(() => runs(rest, id), SOON).toBe(2);
});
