import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A connection to a server of any protocol that delays data, and breaks on request. */
export interface FaultyLine {
  readonly port: number;
  /** Passes nothing on in either direction for this long, then everything in order. */
  stall(milliseconds: number): void;
  /** Leaves every open connection open and dead, as when the other machine has gone; new ones work. */
  abandon(): void;
  /** Ends every open connection. @returns their number */
  cut(): number;
  close(): Promise<void>;
}

/** @param target port of the server on this machine */
export async function startFaultyLine(target: number): Promise<FaultyLine> {
  const open = new Set<Socket>();
  const dead = new WeakSet<Socket>();
  let stalledUntil = 0;
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on("data", (data: Buffer) => pass(from, to, data));
      from.on("error", () => undefined);
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const pass = (from: Socket, to: Socket, data: Buffer): void => {
    if (dead.has(from)) return;
    const wait = stalledUntil - Date.now();
    if (wait <= 0) return void to.write(data);
    // One after the other, so that nothing overtakes earlier data.
    from.pause();
    setTimeout(() => {
      to.write(data);
      from.resume();
    }, wait);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stall: (milliseconds) => void (stalledUntil = Date.now() + milliseconds),
    abandon: () => open.forEach((socket) => dead.add(socket)),
    cut() {
      const connections = open.size / 2;
      for (const socket of open) socket.destroy();
      return Math.floor(connections);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
