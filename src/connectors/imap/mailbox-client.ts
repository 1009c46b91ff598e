import { isIP } from "node:net";
import type { ImapFlow, ListResponse } from "imapflow";
import * as z from "zod";
import { SignInRefused } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { SourceAccess } from "../../core/ports.js";
import { loadOnce } from "../../lib/load-once.js";
import { type AnswerLimit, type AnswerMeter, createAnswerMeter } from "./answer-limit.js";

const CONNECT_MS = 30_000;
const SILENCE_MS = 120_000;
/** Bytes of a line apart from mail content. Parsing it blocks everybody else, for about a quarter of a second. */
export const LONGEST_LINE = 1024 * 1024;
/** Words and numbers of a line, apart from the UIDs that a search finds. */
const MOST_TOKENS = 10_000;
const MOST_FOLDERS = 5_000;
/** For every request except mails. Folders come up to three times: with their states, and the subscribed ones. */
export const SHORT_ANSWER = {
  bytes: LONGEST_LINE,
  lines: {
    most: 3 * MOST_FOLDERS + 1_000,
    complaint: `has more than ${MOST_FOLDERS.toLocaleString("en")} folders, which is the limit.`,
  },
} as const satisfies AnswerLimit;
const USUAL_PAUSE = 60;
const CERTIFICATE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/;
const PORTS = { on: 993, starttls: 143, off: 143 } as const;

const loadLibrary = loadOnce(() => import("imapflow"));

export interface ImapOptions {
  /** Trusted certificates besides those of Node, in PEM. */
  readonly ca?: string;
  /** Milliseconds of silence after which the server counts as gone; two minutes by default. */
  readonly silenceMs?: number;
}

/** A connection to a mailbox. Before requesting more than a short answer, tell its meter. */
export interface Mailbox {
  readonly client: ImapFlow;
  readonly meter: AnswerMeter;
  readonly host: string;
}

/**
 * Connects, signs in, and runs work on the connection, which is closed however the work ends.
 * @throws SignInRefused; AppError `invalid`, `forbidden`, `rate_limited`, `unavailable`; what the work throws
 */
export async function* withMailbox<T>(
  access: SourceAccess,
  options: ImapOptions,
  work: (mailbox: Mailbox) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const host = mailHostOf(access);
  const meter = createAnswerMeter(host, SHORT_ANSWER);
  const client = await clientFor(access, meter, options);
  let awake: NodeJS.Timeout | undefined;
  const stop = (): void => client.close();
  access.signal.addEventListener("abort", stop, { once: true });
  try {
    access.signal.throwIfAborted();
    await client.connect();
    // Keeps the connection open while its mails are being added.
    const everyMs = (options.silenceMs ?? SILENCE_MS) / 3;
    awake = setInterval(() => void client.noop().catch(() => undefined), everyMs);
    yield* work({ client, meter, host });
  } catch (error) {
    access.signal.throwIfAborted();
    throw meter.refusal ?? explain(error, host);
  } finally {
    clearInterval(awake);
    access.signal.removeEventListener("abort", stop);
    if (client.usable && !access.signal.aborted) await client.logout().catch(() => undefined);
    client.close();
  }
}

async function clientFor(
  access: SourceAccess,
  { transport }: AnswerMeter,
  { ca, silenceMs = SILENCE_MS }: ImapOptions,
): Promise<ImapFlow> {
  const library = await loadLibrary();
  const { user } = access.settings;
  const host = mailHostOf(access);
  const mode =
    access.settings["tls"] === "starttls" || access.settings["tls"] === "off" ? access.settings["tls"] : "on";
  const port = Number(access.settings["port"] ?? PORTS[mode]);
  const client = new library.ImapFlow({
    // The address was checked: resolving the name again might lead elsewhere.
    host: await access.resolveHost(host, port),
    ...(isIP(host) === 0 && { servername: host }),
    port,
    secure: mode === "on",
    doSTARTTLS: mode === "starttls",
    auth: { user: String(user), pass: access.secrets["password"] ?? "" },
    ...(ca !== undefined && { tls: { ca } }),
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    clientInfo: { name: "Recollect" },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: silenceMs,
    maxLineLength: LONGEST_LINE,
    maxLiteralSize: access.maximumBytes,
    maxResponseSize: access.maximumBytes + LONGEST_LINE,
    maxResponseTokens: MOST_TOKENS,
    transport,
  });
  // Whoever awaits a command gets the error; without a listener the process would end.
  client.on("error", () => undefined);
  return client;
}

export function mailHostOf({ settings }: SourceAccess): string {
  return String(settings["host"]);
}

/** Folders without personal mail, or that repeat other mail. */
const LEFT_OUT: ReadonlySet<string> = new Set(["\\All", "\\Drafts", "\\Flagged", "\\Important", "\\Junk", "\\Trash"]);

/** What shows whether a folder's mails are unchanged. */
export const FOLDER_STATE = { messages: true, uidNext: true, uidValidity: true } as const;

/**
 * The folders to bring in: those named in the settings, otherwise all except bins, drafts, junk and collections. Most servers
 * return the states of all of them in one answer (RFC 5819).
 * @throws AppError `invalid` for a missing one, `unavailable` for more than can be followed
 */
export async function mailFoldersOf(
  { client, meter, host }: Mailbox,
  { settings }: SourceAccess,
): Promise<readonly ListResponse[]> {
  meter.allow(SHORT_ANSWER);
  const listed = await client.list({ statusQuery: FOLDER_STATE });
  if (listed.length > MOST_FOLDERS) throw new AppError("unavailable", `${host} ${SHORT_ANSWER.lines.complaint}`);
  const all = listed.filter(({ flags }) => !flags.has("\\Noselect") && !flags.has("\\NonExistent"));
  if (all.length === 0) throw new AppError("unavailable", "The mailbox was not listed: it lists no folder.");
  const wanted = String(settings["folders"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (wanted.length === 0) return all.filter(({ specialUse = "" }) => !LEFT_OUT.has(specialUse));
  return wanted.map((name) => {
    const found = all.find(({ path }) => path === name || (name.toUpperCase() === "INBOX" && path === "INBOX"));
    if (!found) throw new AppError("invalid", `The mailbox has no folder ${name}. It has: ${namesOf(all)}`);
    return found;
  });
}

function namesOf(folders: readonly ListResponse[]): string {
  return `${folders
    .slice(0, 20)
    .map(({ path }) => path.slice(0, 100))
    .join(", ")}.`;
}

/** What the library says about a failure besides its message. */
const failureSchema = z.object({
  code: z.string().catch(""),
  authenticationFailed: z.boolean().catch(false),
  tlsFailed: z.boolean().catch(false),
  throttleReset: z.number().catch(USUAL_PAUSE * 1_000),
  serverResponseCode: z.string().catch(""),
  responseStatus: z.string().catch(""),
});

function explain(error: unknown, host: string): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const failure = failureSchema.parse(error);
  const { code, serverResponseCode: said } = failure;
  const unavailable = (text: string) => new AppError("unavailable", `${host} ${text}`, { cause: error });
  if (code === "ETHROTTLE" || said === "LIMIT" || said === "OVERQUOTA")
    return new AppError("rate_limited", `${host} asks for fewer requests.`, {
      retryAfter: Math.ceil(failure.throttleReset / 1_000),
    });
  if (failure.authenticationFailed) {
    if (said === "UNAVAILABLE" || said === "INUSE")
      return unavailable(`cannot sign in any user at the moment (${said}).`);
    return new SignInRefused(
      `${host} does not accept this user name and password. Many providers require an app password.`,
    );
  }
  if (CERTIFICATE.test(code) || failure.tlsFailed)
    return new AppError(
      "invalid",
      `${host} could not be reached over TLS (${code || "no STARTTLS"}). Check its certificate, the port and the setting tls.`,
      { cause: error },
    );
  if (code !== "" || failure.responseStatus !== "")
    return unavailable(`did not answer like a mailbox (${code || said || "refused"}).`);
  return error;
}
