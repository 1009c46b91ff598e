import { afterEach, describe, expect, test } from "vitest";
import { createSmtpMailer } from "../../src/adapters/mail/smtp.js";
import { AppError } from "../../src/core/errors.js";
import type { Mailer } from "../../src/core/ports.js";
import { type MailServerOptions, startMailServer, startSilentServer } from "../support/mail-server.js";

const LOGIN = { user: "ada@example.org", password: "p@ss:w/rd ü" };
const CREDENTIALS = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}@`;
const NEWS = { subject: "Hello", text: "A line.\nAnother.", id: "abc123" };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function start(options: MailServerOptions = {}) {
  const server = await startMailServer(options);
  closing.push(() => server.close());
  return server;
}

function mailerTo(port: number, { credentials = "", scheme = "smtp", patienceMs = 5_000 } = {}): Mailer {
  const url = `${scheme}://${credentials}127.0.0.1:${port}`;
  return createSmtpMailer({ url, from: "Recollect <box@example.org>", to: "owner@example.org", patienceMs });
}

const failureOf = async (work: Promise<void>): Promise<AppError> => {
  const error = await work.then(() => null).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
};

describe("a mail", () => {
  test.each<["starttls" | "secure" | "plain", string, boolean]>([
    ["starttls", "smtp", true],
    ["secure", "smtps", true],
    ["plain", "smtp", false],
  ])("arrives through a server with %s", async (encryption, scheme, isEncrypted) => {
    const server = await start({ encryption, login: LOGIN });
    await mailerTo(server.port, { credentials: CREDENTIALS, scheme }).send(NEWS);
    expect(server.taken).toMatchObject([
      {
        from: "box@example.org",
        to: ["owner@example.org"],
        isEncrypted,
        user: LOGIN.user,
        text: "A line.\nAnother.\n",
      },
    ]);
    const { headers } = server.taken[0] ?? expect.unreachable();
    expect(headers.get("subject")).toBe("Hello");
    expect(headers.get("message-id")).toBe("<abc123@127.0.0.1>");
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
  });

  test("arrives through a server that requires no password", async () => {
    const server = await start();
    await mailerTo(server.port).send(NEWS);
    expect(server.taken).toHaveLength(1);
  });

  test.each(["Hello\r\nBcc: thief@example.org", "Hello\nBcc: thief@example.org", "Hello\u2028Bcc: thief@example.org"])(
    "gets no extra header fields from its subject: %j",
    async (subject) => {
      const server = await start();
      await mailerTo(server.port).send({ ...NEWS, subject });
      const [taken] = server.taken;
      expect(taken?.to).toEqual(["owner@example.org"]);
      expect(taken?.headers.has("bcc")).toBe(false);
      expect(taken?.headers.get("subject")).toBe("Hello Bcc: thief@example.org");
    },
  );

  test("keeps every character of its subject and text", async () => {
    const server = await start();
    const words = "Schlüssel für Zoë 🗝️ 记忆";
    await mailerTo(server.port).send({ subject: words, text: `${words}\n.\nQUIT\n`, id: "x" });
    expect(server.taken[0]?.headers.get("subject")).toBe(words);
    expect(server.taken[0]?.text.trimEnd()).toBe(`${words}\n.\nQUIT`);
  });
});

describe("a mail that cannot be sent", () => {
  test("reports a wrong password without revealing any password", async () => {
    const server = await start({ login: LOGIN });
    const wrong = mailerTo(server.port, { credentials: "ada%40example.org:hunter2secret@" });
    for (const work of [wrong.send(NEWS), wrong.check()]) {
      const error = await failureOf(work);
      expect(error).toMatchObject({ kind: "invalid", message: expect.stringContaining("RECOLLECT_SMTP_URL") });
      expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain("hunter2secret");
    }
    expect(server.taken).toEqual([]);
  });

  test.each<[number, "rcpt" | "data", string]>([
    [451, "data", "unavailable"],
    [421, "rcpt", "unavailable"],
    [550, "rcpt", "invalid"],
    [554, "data", "invalid"],
  ])("reports why when the server answers %i to %s", async (code, where, kind) => {
    const server = await start();
    const mailer = mailerTo(server.port);
    server.refuseWith(code, where);
    expect(await failureOf(mailer.send(NEWS))).toMatchObject({ kind, message: expect.stringContaining(`(${code})`) });
    server.refuseWith(null);
    await mailer.send(NEWS);
    expect(server.taken).toHaveLength(1);
  });

  test("reports that no server is reachable", async () => {
    const server = await start();
    await server.close();
    const mailer = mailerTo(server.port);
    for (const work of [mailer.send(NEWS), mailer.check()])
      expect(await failureOf(work)).toMatchObject({
        kind: "unavailable",
        message: expect.stringContaining("127.0.0.1"),
      });
  });

  test.each([undefined, "220 hello\r\n", "\u0000\u0001garbage\r\n"])(
    "times out when the server goes silent after %j",
    async (greeting) => {
      const server = await startSilentServer(greeting);
      closing.push(() => server.close());
      const mailer = mailerTo(server.port, { patienceMs: 200 });
      expect(await failureOf(mailer.send(NEWS))).toMatchObject({ kind: "unavailable" });
      expect(await failureOf(mailer.check())).toMatchObject({ kind: "unavailable" });
    },
  );

  test("fails when the service stops meanwhile", async () => {
    const server = await startSilentServer();
    closing.push(() => server.close());
    const stop = new AbortController();
    const sending = failureOf(mailerTo(server.port).send(NEWS, stop.signal));
    stop.abort();
    expect(await sending).toMatchObject({ kind: "unavailable" });
  });

  test("sends no password to another machine without encryption", async () => {
    const server = await start({ encryption: "plain", login: LOGIN });
    // This address also belongs to this machine, but is not recognised as such.
    const url = `smtp://${CREDENTIALS}0.0.0.0:${server.port}`;
    const mailer = createSmtpMailer({ url, from: "a@example.org", to: "b@example.org", patienceMs: 5_000 });
    await failureOf(mailer.send(NEWS));
    expect(server.taken).toEqual([]);
  });
});

test("a check signs in and sends nothing", async () => {
  const server = await start({ login: LOGIN });
  await mailerTo(server.port, { credentials: CREDENTIALS }).check();
  expect(server.taken).toEqual([]);
});
