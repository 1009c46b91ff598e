import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** The response to a command before its final line, as one text or in pieces, possibly endless. */
export type MailboxAnswer = string | ((command: string) => Iterable<string | Buffer>);

export interface ScriptedMailbox {
  readonly port: number;
  /** Commands in order, without their tags. */
  readonly asked: readonly string[];
  /** Resolves when the connected client has left. */
  readonly isLeft: Promise<void>;
  close(): Promise<void>;
}

/** A scripted IMAP server: replies are selected by the beginning of the command. */
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
