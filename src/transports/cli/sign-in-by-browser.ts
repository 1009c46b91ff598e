import { AppError } from "../../core/errors.js";
import type { Access, Cli } from "./cli.js";
import type { LoopbackCallback } from "./loopback-callback.js";

/** How long the sign-in address is valid. */
const SIGN_IN_MS = 60 * 60_000;

export interface BrowserSignIn {
  readonly provider: string;
  /** Where somebody signs in. */
  readonly link: string;
  readonly loopback: LoopbackCallback;
}

/**
 * Has the user sign in to a provider with a browser on this machine, and waits until they return.
 * @throws AppError `invalid` when the provider refuses, `unavailable` when nobody has signed in within an hour
 */
export async function signInByBrowser(
  cli: Cli,
  { core, newWrite }: Access,
  { provider, link, loopback }: BrowserSignIn,
): Promise<void> {
  const isOpened = await cli.starters.openInBrowser(link);
  cli.output.note(
    isOpened ? "Sign in using your browser. If it did not open, go to:" : "Open this address and sign in:",
  );
  cli.output.note(link);
  cli.output.note("Use a browser on this machine: it returns to an address that only this machine can reach.");
  const progress = cli.output.progress("waiting for the sign-in");
  try {
    const until = Date.now() + SIGN_IN_MS;
    for (;;) {
      const visit = await loopback.next(until - Date.now());
      if (visit === null) throw new AppError("unavailable", "No one signed in within an hour. Start again.");
      const { reply, ...brought } = visit;
      const finished = await core.finishConnection(newWrite(), { provider, ...brought }).catch((error: unknown) => {
        if (error instanceof AppError && error.kind === "invalid") return reply(error.message);
        reply("Something went wrong. See the terminal for details.");
        throw error;
      });
      // Not the browser that was sent out: the right one may still come.
      if (finished === undefined) continue;
      const { problem } = finished;
      reply(problem ?? "You are signed in. You can close this page.");
      if (problem !== null) throw new AppError("invalid", problem);
      return;
    }
  } finally {
    progress.stop();
  }
}
