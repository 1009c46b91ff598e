import type { IncomingMessage } from "node:http";

/** Most that is read of a refused request; then the connection is closed. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Longest wait in milliseconds, both in total and while nothing arrives. */
const LONGEST_MS = 60_000;
const LONGEST_SILENCE_MS = 2_000;

/**
 * Reads and discards the rest of a request that is about to be answered, such as a file that is too large: most libraries send
 * everything before they look for a response, and would otherwise only see a broken connection.
 */
export async function takeRestOfBody(incoming: IncomingMessage): Promise<void> {
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (incoming.complete || incoming.destroyed || announced > MOST_BYTES) return;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    let isFinished = false;
    const whole = setTimeout(finish, LONGEST_MS);
    const silence = setTimeout(finish, LONGEST_SILENCE_MS);
    function finish(): void {
      isFinished = true;
      clearTimeout(whole);
      clearTimeout(silence);
      resolve();
    }
    // A reader that has begun would stop the flow wherever it stops reading.
    incoming.removeAllListeners("data");
    incoming.on("data", (piece: Uint8Array) => {
      bytes += piece.byteLength;
      if (bytes > MOST_BYTES) finish();
      else if (!isFinished) silence.refresh();
    });
    for (const event of ["end", "close", "error"]) incoming.once(event, finish);
    incoming.resume();
  });
}
