import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { RequestFault } from "./followed-source.js";

/** Sits between an IMAP client and its server, counts commands, and makes some fail. */
export interface ImapRelay {
  readonly port: number;
  /** Commands of signed-in sessions, without those that begin and end them. */
  commands(): number;
  /** Makes a command fail after a number of successful ones. */
  fail(fault: RequestFault, after: number): void;
  heal(): void;
  close(): Promise<void>;
}

const COMMAND = /^(\S+) (UID \w+|\w+)/;
const SIGN_IN = /^(LOGIN|AUTHENTICATE)$/i;
/** Commands about the session, not the mailbox. */
const SESSION = /^(LOGIN|AUTHENTICATE|CAPABILITY|ID|NAMESPACE|ENABLE|NOOP|LOGOUT)$/i;

/** @param target the port of the server, on this machine */
export async function startImapRelay(target: number): Promise<ImapRelay> {
  const sockets = new Set<Socket>();
  let commands = 0;
  let faults: (RequestFault | "pass")[] = [];
  let refusesSignIn = false;
  /** @returns the response in place of the server's; "cut" for none at all */
  const judge = (tag: string, name: string): string | null => {
    if (!SESSION.test(name)) commands += 1;
    const fault = faults.shift() ?? "pass";
    const isSignIn = SIGN_IN.test(name);
    if (isSignIn && refusesSignIn) {
      refusesSignIn = false;
      return `${tag} NO [AUTHENTICATIONFAILED] Not this password.\r\n`;
    }
    if (fault === "pass") return null;
    if (fault.kind === "cut") return "cut";
    switch (fault.status) {
      case 401:
        if (isSignIn) return `${tag} NO [AUTHENTICATIONFAILED] Not this password.\r\n`;
        refusesSignIn = true;
        return "* BYE You are signed out.\r\ncut";
      case 429:
        return `${tag} NO [LIMIT] Too many commands.\r\n`;
      case 500:
        return `${tag} NO [${isSignIn ? "UNAVAILABLE" : "SERVERBUG"}] Internal error.\r\n`;
      case 503:
        return "* BYE [UNAVAILABLE] Shutting down.\r\ncut";
    }
  };
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      socket.on("error", () => undefined);
    }
    let rest = "";
    client.on("data", (data: Buffer) => {
      const lines = `${rest}${data.toString("latin1")}`.split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [, tag = "", name = ""] = COMMAND.exec(line) ?? [];
        const answer = name === "" ? null : judge(tag, name);
        if (answer === null) upstream.write(`${line}\r\n`, "latin1");
        else if (answer.endsWith("cut")) client.end(answer.slice(0, -"cut".length));
        else client.write(answer);
      }
    });
    upstream.pipe(client, { end: true });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    commands: () => commands,
    fail: (fault, after) => void faults.push(...Array<"pass">(after).fill("pass"), fault),
    heal() {
      faults = [];
      refusesSignIn = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
