import type { BegunDeviceSignIn, CreatedConnection } from "../../../core/index.js";
import { AppError } from "../../../core/errors.js";
import { sleep } from "../../../lib/time.js";
import { type Access, type Cli, withCore } from "../cli.js";
import { openLoopbackCallback } from "../loopback-callback.js";
import { type BrowserSignIn, signInByBrowser } from "../sign-in-by-browser.js";
import { printableLine } from "../style.js";
import { type AppOptions, keepApp } from "./connection-app.js";
import { type Fields, askForFields, readNeededFields } from "./connection-fields.js";
import { followRun } from "./follow-run.js";

/** How much a connection brings in, and how often. */
export interface PaceOptions {
  readonly limit?: number;
  readonly every?: number;
}

export interface AddOptions extends Fields, AppOptions, PaceOptions {
  readonly container?: string;
  readonly wait: boolean;
}

/** Creates a connection, asks for what is missing, and brings in what it finds. */
export async function addConnection(cli: Cli, provider: string, options: AddOptions): Promise<void> {
  const metadata = await readNeededFields(cli, provider, options);
  const loopback = await openLoopbackCallback();
  await withCore(
    cli,
    async (access) => {
      const { core, newWrite } = access;
      await keepApp(cli, access, provider, { ...options, given: Object.keys(metadata) });
      const made = await core.createConnection(newWrite(), {
        provider,
        metadata,
        isDevice: true,
        origin: loopback.origin,
        ...(options.container !== undefined && { containerTag: options.container }),
        ...(options.limit !== undefined && { documentLimit: options.limit }),
        ...(options.every !== undefined && { everyMinutes: options.every }),
      });
      await signIn(cli, access, made, { provider, loopback }).catch(async (error: unknown) => {
        // A connection without a sign-in is useless.
        await core.removeConnection(newWrite(), { id: made.id });
        throw error;
      });
      const connection = await core.findConnection(access.read, { id: made.id });
      cli.output.note(`Connected to ${provider}${connection.account === null ? "" : ` as ${connection.account}`}.`);
      const isIdle = connection.nextSyncAt === null && connection.lastRun === null && connection.everyMinutes !== null;
      if (isIdle) cli.output.note(`Choose what it imports: ${cli.invocation} connections choose ${made.id}`);
      if (isIdle || !options.wait) return cli.output.answer(made, () => [made.id]);
      await followRun(cli, access, made.id, null);
    },
    { begins: true },
  ).finally(() => loopback.close());
}

/** Signs a connection in again, the way its provider requires. */
export async function reconnect(cli: Cli, id: string, fields: Fields): Promise<void> {
  const metadata = await askForFields(cli, fields);
  const loopback = await openLoopbackCallback();
  await withCore(cli, async (access) => {
    const { core, newWrite, read } = access;
    const { provider } = await core.findConnection(read, { id });
    const wanted = { id, metadata, isDevice: true, origin: loopback.origin };
    const again = await core.reconnectConnection(newWrite(), wanted);
    await signIn(cli, access, again, { provider, loopback });
    const { state } = await core.findConnection(read, { id });
    const what = state === "paused" ? "is still paused" : "continues";
    cli.output.answer({ id }, () => [`${id} is signed in again and ${what}.`]);
  }).finally(() => loopback.close());
}

/** Has the user sign in if that is needed. */
async function signIn(
  cli: Cli,
  access: Access,
  { id, device, authLink: link }: CreatedConnection,
  { provider, loopback }: Omit<BrowserSignIn, "link">,
): Promise<void> {
  if (device) await signInElsewhere(cli, access, id, device);
  else if (link !== undefined) await signInByBrowser(cli, access, { provider, link, loopback });
}

/** Has the user sign in on another device, and waits for it. */
async function signInElsewhere(
  cli: Cli,
  { core, read }: Access,
  id: string,
  { userCode, verificationUrl, expiresIn, interval }: BegunDeviceSignIn,
): Promise<void> {
  cli.output.note(
    `Open ${printableLine(verificationUrl)} and enter ${cli.output.style.bold(printableLine(userCode))}.`,
  );
  const progress = cli.output.progress("waiting for the sign-in");
  try {
    let waitMs = interval * 1_000;
    for (let left = expiresIn * 1_000; left > 0; left -= waitMs) {
      await sleep(waitMs);
      const { isConnected, isSlowDown } = await core.pollConnection(read, { id });
      if (isConnected) return;
      if (isSlowDown) waitMs += 5_000;
    }
  } finally {
    progress.stop();
  }
  throw new AppError("unavailable", "The sign-in was not completed in time. Start again.");
}
