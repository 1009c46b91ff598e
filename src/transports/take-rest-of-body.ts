import type { IncomingMessage } from "node:http";

/** More is not taken from anybody whose request is refused; the connection ends then. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Nor is anybody waited for longer, in milliseconds: all in all, and while nothing comes. */
const LONGEST_MS = 60_000;
const LONGEST_SILENCE_MS = 2_000;

/**
 * Takes and throws away what is still to come of a request that is about to be answered, such as a file that is too large: most
 * libraries send all of it before they look for an answer, and would only see a connection that broke off.
 */
export async function takeRestOfBody(incoming: IncomingMessage): Promise<void> {
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (incoming.complete || incoming.destroyed || announced > MOST_BYTES) return;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    let isOver = false;
    const whole = setTimeout(finish, LONGEST_MS);
    const silence = setTimeout(finish, LONGEST_SILENCE_MS);
    function finish(): void {
      isOver = true;
      clearTimeout(whole);
      clearTimeout(silence);
      resolve();
    }
    // Whoever has begun to read would stop the flow where it is not read on.
    incoming.removeAllListeners("data");
    incoming.on("data", (piece: Uint8Array) => {
      bytes += piece.byteLength;
      if (bytes > MOST_BYTES) finish();
      else if (!isOver) silence.refresh();
    });
    for (const event of ["end", "close", "error"]) incoming.once(event, finish);
    incoming.resume();
  });
}
