import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { mail } from "./mail-text.js";

/** A mail as received by a server. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header fields by lower-case name, unfolded and decoded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly raw: string;
  readonly isEncrypted: boolean;
  readonly user: string | null;
}

export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly taken: readonly TakenMail[];
  /** Refuses the next mails with this code; null accepts them again. */
  refuseWith(code: number | null, where?: "rcpt" | "data"): void;
  close(): Promise<void>;
}

export interface MailServerOptions {
  /** Without it anyone may send. */
  readonly login?: { readonly user: string; readonly password: string };
  /** `starttls` offers it, `secure` starts with it, `plain` has none. */
  readonly encryption?: "starttls" | "secure" | "plain";
  /** 0 for any free port. */
  readonly port?: number;
}

/** A real SMTP server on a port of this machine. */
export async function startMailServer({
  login,
  encryption = "starttls",
  port = 0,
}: MailServerOptions = {}): Promise<MailServer> {
  const taken: TakenMail[] = [];
  let refusal: { code: number; where: "rcpt" | "data" } | null = null;
  const refuse = (where: "rcpt" | "data"): Error | null =>
    refusal?.where === where ? Object.assign(new Error("Not now, not this"), { responseCode: refusal.code }) : null;
  const options: SMTPServerOptions = {
    secure: encryption === "secure",
    hideSTARTTLS: encryption === "plain",
    disabledCommands: [...(encryption === "plain" ? ["STARTTLS"] : []), ...(login ? [] : ["AUTH"])],
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      if (login && username === login.user && password === login.password) return done(null, { user: username });
      return done(Object.assign(new Error(`No entry for ${username} with ${password}`), { responseCode: 535 }));
    },
    onRcptTo: (_address, _session, done) => done(refuse("rcpt")),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const error = refuse("data");
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString("utf8");
        if (!error)
          taken.push({
            ...mail(raw),
            raw,
            from: mailFrom === false ? "" : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            isEncrypted: session.secure,
            user: typeof session.user === "string" ? session.user : null,
          });
        done(error);
      });
    },
  };
  const server = new SMTPServer(options);
  // A client that disconnects early does not matter here.
  server.on("error", () => undefined);
  const listening = server.listen(port, "127.0.0.1");
  await once(listening, "listening");
  return {
    host: "127.0.0.1",
    port: (listening.address() as AddressInfo).port,
    taken,
    refuseWith(code, where = "data") {
      refusal = code === null ? null : { code, where };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A server that accepts connections and says nothing, or nothing after its greeting. */
export async function startSilentServer(greeting?: string): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    if (greeting !== undefined) socket.write(greeting);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
