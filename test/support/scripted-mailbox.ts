import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** What a command is answered with before the line that ends it, as one text or piece by piece, without end even. */
export type MailboxAnswer = string | ((command: string) => Iterable<string | Buffer>);

export interface ScriptedMailbox {
  readonly port: number;
  /** Commands, in order and without their tags. */
  readonly asked: readonly string[];
  /** Once whoever had connected has gone. */
  readonly isLeft: Promise<void>;
  close(): Promise<void>;
}

/** A server of IMAP that speaks as it is told: answers by what the commands that they are for begin with. */
export async function startMailbox(answers: Readonly<Record<string, MailboxAnswer>>): Promise<ScriptedMailbox> {
  const asked: string[] = [];
  let leave = (): void => {};
  const isLeft = new Promise<void>((resolve) => (leave = resolve));

  async function answer(socket: Socket, line: string): Promise<void> {
    const [tag = "", ...words] = line.split(" ");
    const command = words.join(" ");
    asked.push(command);
    const [, found = ""] = Object.entries(answers).find(([start]) => command.toUpperCase().startsWith(start)) ?? [];
    for (const piece of typeof found === "string" ? [found] : found(command)) {
      if (socket.destroyed) return;
      if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
    socket.write(`${tag} OK done\r\n`);
  }

  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("close", leave);
    socket.write("* OK [CAPABILITY IMAP4rev1 ESEARCH] ready\r\n");
    let waiting = "";
    socket.on("data", (data) => {
      waiting += data.toString();
      for (let end = waiting.indexOf("\r\n"); end >= 0; end = waiting.indexOf("\r\n")) {
        const line = waiting.slice(0, end);
        waiting = waiting.slice(end + 2);
        void answer(socket, line).catch(() => socket.destroy());
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    isLeft,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
