import { connect as connectPlainly, type Socket } from "node:net";
import { connect as connectByTls } from "node:tls";
import type { ImapFlowOptions } from "imapflow";
import { AppError } from "../../core/errors.js";

type Transport = NonNullable<ImapFlowOptions["transport"]>;

/** How much a server may send until the next request. */
export interface AnswerLimit {
  readonly bytes: number;
  readonly lines?: { readonly most: number; readonly complaint: string };
}

/** Counts what a server sends, and disconnects one that exceeds its limit. */
export interface AnswerMeter {
  /** Starts counting afresh. */
  allow(limit: AnswerLimit): void;
  /** Why it was disconnected; null where it was not. */
  readonly refusal: AppError | null;
  readonly transport: Transport;
}

const LINE_FEED = 10;

/**
 * The library assembles a whole answer in memory before it shows any of it, so an endless one can only be noticed as it arrives.
 * @param host as named in error messages
 */
export function createAnswerMeter(host: string, first: AnswerLimit): AnswerMeter {
  let allowed = first;
  let bytes = 0;
  let lines = 0;
  let refusal: AppError | null = null;

  function count(chunk: Buffer): AppError | null {
    bytes += chunk.byteLength;
    if (allowed.lines) lines += linesOf(chunk);
    if (bytes > allowed.bytes) return new AppError("unavailable", `${host} sent more than was requested.`);
    if (allowed.lines && lines > allowed.lines.most)
      return new AppError("unavailable", `${host} ${allowed.lines.complaint}`);
    return null;
  }

  /** Called before the library listens, since listeners get data in the order in which they were added. */
  function watch(socket: Socket): void {
    socket.on("data", (chunk) => {
      refusal ??= count(chunk);
      if (refusal) socket.destroy(refusal);
    });
  }

  const transport: Transport = {
    connect({ secure, tls, ...place }, onConnect) {
      const begin = (): void => {
        watch(socket);
        onConnect();
      };
      const socket: Socket = secure ? connectByTls({ ...place, ...tls }, begin) : connectPlainly(place, begin);
      return socket;
    },
    upgrade(plain, { tls, ...place }, onSecure) {
      plain.removeAllListeners("data");
      const socket: Socket = connectByTls({ ...place, ...tls, socket: plain }, () => {
        watch(socket);
        onSecure();
      });
      return socket;
    },
  };

  return {
    allow(limit) {
      allowed = limit;
      bytes = 0;
      lines = 0;
    },
    get refusal() {
      return refusal;
    },
    transport,
  };
}

function linesOf(chunk: Buffer): number {
  let found = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) found += 1;
  return found;
}
