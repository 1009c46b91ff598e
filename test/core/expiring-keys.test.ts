import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSmtpMailer } from "../../src/adapters/mail/smtp.js";
import type { Mailer } from "../../src/core/ports.js";
import { createExpiryWarnings } from "../../src/core/access/expiring-keys.js";
import { captureLog } from "../support/captured-log.js";
import { type MailServer, startMailServer } from "../support/mail-server.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { openCore } from "../support/open-core.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let server: MailServer;
let opened: ManualCore;
let log: ReturnType<typeof captureLog>;
let look: () => Promise<void>;

beforeEach(async () => {
  log = captureLog();
  server = await startMailServer({ encryption: "plain" });
  await open({ mailer: mailerTo(server) });
});
afterEach(async () => {
  await opened.close();
  await server.close();
});

function mailerTo({ host, port }: MailServer): Mailer {
  return createSmtpMailer({
    url: `smtp://${host}:${port}`,
    from: "box@example.org",
    to: "owner@example.org",
    patienceMs: 5_000,
  });
}

async function open(options: Parameters<typeof openManualCore>[0]): Promise<void> {
  opened = await openManualCore({ log, jobs: false, ...options });
  look = createExpiryWarnings(opened.context);
}

/** Restarts the service with the same data, at the same time. */
async function restart(options: { mailer?: Mailer } = { mailer: mailerTo(server) }): Promise<void> {
  const { dataDirectory, clock } = opened;
  await opened.stop();
  await open({ ...options, dataDirectory, clock });
}

const create = async (input: Record<string, unknown>) => opened.core.createKey(opened.call(), input);
const subjects = (): (string | undefined)[] => server.taken.map(({ headers }) => headers.get("subject"));
const warnings = (): string[] => log.lines.filter(({ level }) => level === "warn").map(({ event }) => event);

/** Lets days pass with a check every eight hours, as in a running service. */
async function live(days: number): Promise<void> {
  for (let passed = 0; passed < days * DAY; passed += 8 * HOUR) {
    opened.clock.advance(8 * HOUR);
    await look();
  }
}

describe("a key that expires", () => {
  test("is announced 14, 3 and 1 days before and when it has expired, once each", async () => {
    await create({ name: "laptop", expiresInDays: 30 });
    await live(40);
    expect(subjects()).toEqual([
      'Recollect: API key "laptop" expires in 14 days',
      'Recollect: API key "laptop" expires in 3 days',
      'Recollect: API key "laptop" expires in 1 day',
      'Recollect: API key "laptop" has expired',
    ]);
    expect(server.taken.every(({ to }) => to.join() === "owner@example.org")).toBe(true);
  });

  test("is announced once, even if the service restarts before every check", async () => {
    await create({ name: "laptop", expiresInDays: 30 });
    for (let day = 0; day < 35; day += 1) {
      opened.clock.advance(DAY);
      await restart();
      await look();
      await look();
    }
    expect(subjects()).toHaveLength(4);
  });

  test.each([
    [2, "2 days"],
    [9, "9 days"],
    [14, "14 days"],
  ])(
    "and is created with %i days left is announced at the next check, then like any other",
    async (expiresInDays, left) => {
      await create({ name: "short", expiresInDays });
      await look();
      await look();
      expect(subjects()).toEqual([`Recollect: API key "short" expires in ${left}`]);
      await live(expiresInDays + 1);
      expect(subjects().slice(-2)).toEqual([
        'Recollect: API key "short" expires in 1 day',
        'Recollect: API key "short" has expired',
      ]);
      expect(new Set(subjects()).size).toBe(subjects().length);
    },
  );

  test("and is created for one day is announced when it is created and when it has expired", async () => {
    await create({ name: "guest", expiresInDays: 1 });
    await live(2);
    expect(subjects()).toEqual([
      'Recollect: API key "guest" expires in 1 day',
      'Recollect: API key "guest" has expired',
    ]);
  });

  test("while the service is off is announced with the most urgent warning only", async () => {
    await create({ name: "laptop", expiresInDays: 30 });
    opened.clock.advance(28 * DAY);
    await look();
    opened.clock.advance(400 * DAY);
    await look();
    expect(subjects()).toEqual([
      'Recollect: API key "laptop" expires in 2 days',
      'Recollect: API key "laptop" has expired',
    ]);
  });

  test("is not announced again when the clock is set back", async () => {
    await create({ name: "laptop", expiresInDays: 30 });
    opened.clock.advance(28 * DAY);
    await look();
    opened.clock.advance(-10 * DAY);
    await look();
    opened.clock.advance(-15 * DAY);
    await look();
    expect(subjects()).toHaveLength(1);
  });

  test("is not announced while revoked or disabled, nor is a key that never expires", async () => {
    const revoked = await create({ name: "revoked", expiresInDays: 20 });
    const off = await create({ name: "off", expiresInDays: 20 });
    await create({ name: "for ever" });
    await opened.core.revokeKey(opened.call(), { id: revoked.key.id });
    await opened.core.toggleKey(opened.call(), { id: off.key.id });
    await live(19);
    expect(subjects()).toEqual([]);
    await opened.core.toggleKey(opened.call(), { id: off.key.id });
    await look();
    expect(subjects()).toEqual(['Recollect: API key "off" expires in 1 day']);
  });
});

describe("a mail about expiring keys", () => {
  test("names the key, the time and what to do, and contains no secret", async () => {
    const { key, secret } = await create({
      name: "laptop",
      client: "opencode",
      grants: [{ containerTag: "mia" }, { containerTag: "library", permission: "read" }],
      expiresInDays: 20,
    });
    await opened.core.authenticate(opened.call(), secret);
    await live(7);
    const [taken] = server.taken;
    for (const words of [
      key.id,
      key.hint,
      "opencode",
      "mia (write), library (read)",
      "2024-05-26 07:08 UTC",
      "recollect keys create --name <name> --client opencode --container mia library:read --expires <days>",
      `recollect keys revoke ${key.id}`,
    ])
      expect(taken?.text).toContain(words);
    const random = secret.split("_").at(-1) ?? expect.unreachable();
    expect(server.taken).not.toEqual([]);
    for (const { raw, text } of server.taken) {
      expect(raw + text).not.toContain(secret);
      expect(raw + text).not.toContain(random.slice(0, 8));
    }
  });

  test("covers all keys of one check", async () => {
    await create({ name: "first", expiresInDays: 14 });
    await create({ name: "second", expiresInDays: 17 });
    await create({ name: "third", expiresInDays: 40 });
    opened.clock.advance(14 * DAY);
    await look();
    expect(subjects()).toEqual(["Recollect: 2 API keys: 1 expired, 1 expires soon"]);
    expect(server.taken[0]?.text).toMatch(/"first" has expired[^]*"second" expires in 3 days/);
    expect(server.taken[0]?.text).not.toContain("third");
  });

  test.each([
    ["a line break and a header field", "laptop\r\nBcc: thief@example.org\r\n\r\nPay here"],
    ["a right-to-left override", "laptop \u202Egnp.exe"],
    ["other scripts", "Schlüssel 钥匙 🗝️"],
    ["markup", '<a href="https://evil.example">x</a>'],
  ])("stays a single mail to the owner if the name of the key has %s", async (_what, name) => {
    await create({ name, expiresInDays: 15 });
    await live(1.5);
    const [taken, ...more] = server.taken;
    expect(more).toEqual([]);
    expect(taken?.to).toEqual(["owner@example.org"]);
    expect(taken?.headers.has("bcc")).toBe(false);
    expect(taken?.text).not.toMatch(/^(Bcc|Pay)/m);
    expect(taken?.text).not.toContain("\u202E");
    expect(taken?.headers.get("content-type")).toMatch(/^text\/plain/);
    const words = name.split(/[\s\u202E]/)[0] ?? "";
    expect(taken?.headers.get("subject")).toContain(words);
  });

  test("that could not be sent is retried at the next check, and no other is repeated", async () => {
    await create({ name: "first", expiresInDays: 30 });
    opened.clock.advance(16.5 * DAY);
    await look();
    await create({ name: "second", expiresInDays: 2 });
    server.refuseWith(451);
    opened.clock.advance(1.5 * DAY);
    await look();
    await look();
    expect(subjects()).toHaveLength(1);
    // Logged once, although it failed twice.
    expect(warnings()).toEqual(["a warning about expiring keys could not be mailed and is retried"]);
    server.refuseWith(null);
    await restart();
    await look();
    await look();
    expect(subjects()).toEqual([
      'Recollect: API key "first" expires in 14 days',
      'Recollect: API key "second" expires in 1 day',
    ]);
  });

  test("is sent once by simultaneous checks", async () => {
    await create({ name: "laptop", expiresInDays: 2 });
    opened.clock.advance(1.5 * DAY);
    await Promise.all([look(), look(), look()]);
    expect(subjects()).toHaveLength(1);
  });

  test("has the same id when it is sent again because the first was not recorded", async () => {
    await create({ name: "laptop", expiresInDays: 2 });
    opened.clock.advance(1.5 * DAY);
    const { store } = opened;
    const failing: typeof store = { ...store, transaction: () => Promise.reject(new Error("power is gone")) };
    await expect(createExpiryWarnings({ ...opened.context, store: failing })()).rejects.toThrow("power is gone");
    await look();
    const ids = server.taken.map(({ headers }) => headers.get("message-id"));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

describe("without a mail server", () => {
  beforeEach(() => restart({}));

  test("each warning is logged once, with ids only", async () => {
    const { key } = await create({ name: "laptop", expiresInDays: 30 });
    await live(40);
    expect(warnings()).toEqual(["a key expires soon", "a key expires soon", "a key expires soon", "a key has expired"]);
    expect(log.lines.filter(({ level }) => level === "warn")[0]).toMatchObject({ key: key.id });
    expect(JSON.stringify(log.lines)).not.toContain("laptop");
    expect(subjects()).toEqual([]);
  });
});

describe("status and doctor", () => {
  const listed = async () => (await opened.core.status(opened.call())).expiringKeys;
  const checkOf = async (name: string) =>
    (await opened.core.diagnose(opened.call())).checks.find((check) => check.name === name);

  test("list keys that expire soon or expired within the last 14 days", async () => {
    const { key } = await create({ name: "laptop", expiresInDays: 30 });
    expect(await listed()).toEqual([]);
    opened.clock.advance(20 * DAY);
    const { id, name, hint, expiresAt } = key;
    expect(await listed()).toEqual([{ id, name, hint, expiresAt, daysLeft: 10 }]);
    opened.clock.advance(10 * DAY);
    expect(await listed()).toMatchObject([{ id, daysLeft: 0 }]);
    opened.clock.advance(14 * DAY);
    expect(await listed()).toEqual([]);
  });

  test("list no keys to callers who may not see them", async () => {
    await create({ name: "laptop", expiresInDays: 10 });
    opened.clock.advance(8 * DAY);
    const restricted = await opened.core.status(opened.call(["a"]));
    const reading = await opened.core.status({ actor: { ...opened.call().actor, readOnly: "all" } });
    expect([restricted.expiringKeys, reading.expiringKeys]).toEqual([[], []]);
    expect(await listed()).toHaveLength(1);
  });

  test("report a problem only when it is urgent", async () => {
    await openJobs();
    const { key } = await create({ name: "laptop", expiresInDays: 30 });
    expect(await checkOf("keys")).toMatchObject({ ok: true, detail: "none expires within 14 days" });
    opened.clock.advance(20 * DAY);
    expect(await checkOf("keys")).toMatchObject({ ok: true, detail: expect.stringContaining(key.id) });
    opened.clock.advance(8 * DAY);
    expect(await checkOf("keys")).toMatchObject({ ok: false, fix: expect.stringContaining("recollect keys create") });
    await opened.core.revokeKey(opened.call(), { id: key.id });
    expect(await checkOf("keys")).toMatchObject({ ok: true });
  });

  test("check the connection to the mail server", async () => {
    await openJobs();
    expect(await checkOf("mail")).toMatchObject({ ok: true, detail: expect.stringContaining("owner@example.org") });
    await server.close();
    expect(await checkOf("mail")).toMatchObject({ ok: false, detail: expect.stringContaining("RECOLLECT_SMTP_URL") });
    expect(server.taken).toEqual([]);
  });

  /** The doctor also adds a document, which needs jobs. */
  async function openJobs(): Promise<void> {
    const { dataDirectory, clock } = opened;
    await opened.stop();
    await open({ mailer: mailerTo(server), dataDirectory, clock, jobs: true });
  }
});

test("the settings configure the mail server", async () => {
  const service = await openCore({
    settings: { RECOLLECT_SMTP_URL: `smtp://127.0.0.1:${server.port}`, RECOLLECT_OWNER_EMAIL: "ada@example.org" },
  });
  try {
    const { checks } = await service.core.diagnose({ actor: service.actor });
    const detail = expect.stringContaining(`127.0.0.1:${server.port} to ada@example.org`);
    expect(checks.find(({ name }) => name === "mail")).toMatchObject({ ok: true, detail });
  } finally {
    await service.close();
  }
});
