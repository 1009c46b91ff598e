import { hostname, platform } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { AppError } from "../../core/errors.js";
import type { Cli } from "./cli.js";
import { UsageError } from "./failure.js";
import { printableLine } from "./style.js";

const startedSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_in: z.number(),
  interval: z.number().min(1).max(60),
});
const toldSchema = z.object({ apikey: z.string().startsWith("sm_"), api_url: z.string() });
const refusedSchema = z.object({ error: z.string(), message: z.string().optional() });

/** RFC 8628 §3.5. */
const SLOWER_SECONDS = 5;
const ANSWERS_MS = 20_000;

/** The key that the owner of a remote service gave this machine, and where it is used. */
export interface KeyFromElsewhere {
  readonly apiKey: string;
  readonly apiUrl: string;
}

/**
 * Asks the service at an address for a key: its owner enters a code in a browser on any machine, while this one waits.
 * @throws UsageError for an invalid address; AppError `forbidden` when the owner declines, `unavailable` when there is no such
 *   service or nobody answers within 10 minutes
 */
export async function askForKey(cli: Cli, service: string, client: string | undefined): Promise<KeyFromElsewhere> {
  const url = serviceUrl(service);
  const device = { client, hostname: hostname(), os: platform(), cwd: process.cwd() };
  const { status, body } = await post(`${url}/auth/device/code`, device);
  if (status !== 200) throw refusal(url, body);
  const started = startedSchema.safeParse(body);
  if (!started.success) throw notOurs(url);
  const { device_code: deviceCode, user_code: userCode, verification_uri: page, expires_in: seconds } = started.data;
  const { bold } = cli.output.style;
  cli.output.note(
    `Open ${bold(printableLine(page))} on any machine and enter ${bold(printableLine(userCode))}. Waiting …`,
  );
  const until = performance.now() + seconds * 1_000;
  let interval = started.data.interval;
  while (performance.now() < until) {
    await sleep(interval * 1_000);
    const polled = await post(`${url}/auth/device/token`, { device_code: deviceCode });
    const told = polled.status === 200 ? toldSchema.safeParse(polled.body) : undefined;
    if (told?.success) return { apiKey: told.data.apikey, apiUrl: told.data.api_url };
    const { error } = refusedSchema.catch({ error: "" }).parse(polled.body);
    if (error === "slow_down") interval += SLOWER_SECONDS;
    else if (error !== "authorization_pending") throw refusal(url, polled.body);
  }
  throw new AppError("unavailable", "The request was not answered within 10 minutes.");
}

function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "")
    throw new UsageError("--device needs the address of a service, such as https://memory.example");
  return url.origin;
}

async function post(url: string, body: object): Promise<{ status: number; body: unknown }> {
  const { origin } = new URL(url);
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(ANSWERS_MS),
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  } catch (error) {
    throw new AppError("unavailable", `No service answers at ${origin}.`, { cause: error });
  }
}

function refusal(url: string, body: unknown): AppError {
  const refused = refusedSchema.safeParse(body);
  if (!refused.success) return notOurs(url);
  const { error, message = error } = refused.data;
  return new AppError(error === "access_denied" ? "forbidden" : "unavailable", printableLine(message));
}

function notOurs(url: string): AppError {
  return new AppError("unavailable", `The server at ${url} is not Recollect, or is an older version of it.`);
}
