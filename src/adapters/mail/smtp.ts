import type { createTransport } from "nodemailer";
import { AppError } from "../../core/errors.js";
import type { Mailer } from "../../core/ports.js";
import { oneLine } from "../../lib/one-line.js";

export interface SmtpOptions {
  /** `smtp://` or `smtps://`, with user and password where the server requires them. */
  readonly url: string;
  readonly from: string;
  /** The owner's address. */
  readonly to: string;
  /** Milliseconds for one mail, from connecting to the server's last reply. Default 30 s. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 30_000;
const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const LONGEST_ANSWER = 200;

type Transport = ReturnType<typeof createTransport>;

/**
 * Sends mail through an SMTP server. The connection is encrypted where the server supports it; it must be where a password is
 * sent to another machine.
 */
export function createSmtpMailer({ url, from, to, patienceMs = PATIENCE_MS }: SmtpOptions): Mailer {
  const server = readServer(url);
  const place = `${server.host}:${server.port}`;

  async function using<T>(work: (transport: Transport) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const nodemailer = await import("nodemailer");
    const transport = nodemailer.createTransport({
      ...server,
      connectionTimeout: patienceMs,
      greetingTimeout: patienceMs,
      socketTimeout: patienceMs,
      dnsTimeout: patienceMs,
      // A mail is our own text: nothing in it may be fetched or read from a file.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), patienceMs);
    const stopped = AbortSignal.any([limit.signal, ...(signal ? [signal] : [])]);
    try {
      return await Promise.race([work(transport), rejectWhen(stopped)]);
    } catch (error) {
      throw describe(error, { place, isLate: limit.signal.aborted, password: server.auth?.pass });
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  }

  return {
    name: `${place} to ${to}`,
    async send({ subject, text, id }, signal) {
      const messageId = `<${id}@${server.host.replace(/[^A-Za-z0-9.-]/g, "-")}>`;
      await using((transport) => transport.sendMail({ from, to, subject: oneLine(subject), text, messageId }), signal);
    },
    async check() {
      await using((transport) => transport.verify());
    },
  };
}

function readServer(text: string) {
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isHere = /^(localhost|::1|127\.\d+\.\d+\.\d+)$/.test(host);
  const user = decodeURIComponent(url.username);
  return {
    host,
    port: url.port === "" ? (secure ? SMTPS_PORT : SMTP_PORT) : Number(url.port),
    secure,
    ...(user !== "" && { auth: { user, pass: decodeURIComponent(url.password) } }),
    requireTLS: user !== "" && !secure && !isHere,
    // A local server's certificate is rarely signed by an authority, and nobody can intercept the connection.
    ...(isHere && { tls: { rejectUnauthorized: false } }),
  };
}

function rejectWhen(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(new Error("The time is up"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

interface Circumstances {
  readonly place: string;
  readonly isLate: boolean;
  readonly password: string | undefined;
}

/** Any failure in words, including the server's own, but never the password. */
function describe(error: unknown, { place, isLate, password }: Circumstances): AppError {
  const { code, responseCode, message } = readFailure(error);
  const words = oneLine(password ? message.replaceAll(password, "…") : message).slice(0, LONGEST_ANSWER);
  const said = words === "" ? "" : `: ${words}`;
  if (isLate)
    return new AppError("unavailable", `The mail server ${place} did not answer in time. Check RECOLLECT_SMTP_URL.`);
  if (code === "EAUTH" || code === "ENOAUTH")
    return new AppError(
      responseCode >= 400 && responseCode < 500 ? "unavailable" : "invalid",
      `The mail server ${place} does not accept the user and password of RECOLLECT_SMTP_URL${said}.`,
    );
  if (responseCode >= 500)
    return new AppError("invalid", `The mail server ${place} refuses the mail (${responseCode})${said}.`);
  if (responseCode >= 400)
    return new AppError(
      "unavailable",
      `The mail server ${place} does not accept mail at the moment (${responseCode})${said}.`,
    );
  if (code === "EENVELOPE" || code === "EMESSAGE")
    return new AppError("invalid", `The mail server ${place} cannot deliver the mail${said}.`);
  return new AppError("unavailable", `The mail server ${place} cannot be used${said}. Check RECOLLECT_SMTP_URL.`);
}

function readFailure(error: unknown): { code: string; responseCode: number; message: string } {
  const { code, responseCode, response, message } = Object(error) as Readonly<Record<string, unknown>>;
  return {
    code: typeof code === "string" ? code : "",
    responseCode: typeof responseCode === "number" ? responseCode : 0,
    message: [response, message].find((text) => typeof text === "string") ?? "",
  };
}
