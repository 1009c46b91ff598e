import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type Bystander, peakMegabytesOf, watchService } from "./bystander.js";
import { type ServeProcess, startServe, withDataDirectory } from "./recollect-process.js";

const KEY = "sm_tests_0123456789abcdefghijklmn";
/** The service's promise to other callers during an attack. A machine that also runs other tests needs more time. */
const SLOWEST_MS = 500;
const MOST_MEGABYTES = 500;
/** A refusal says what was wrong, without repeating what was sent. */
const LONGEST_REFUSAL = 16 * 1024;
/** Delays caused by other programs on this machine rarely repeat. */
const ATTEMPTS = 3;

/** A request by someone malicious or mistaken. */
export interface Attack {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  /** Created for each attempt, if it must not be the same twice. */
  readonly body?: (attempt: number) => Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of simultaneous copies; one by default. */
  readonly times?: number;
}

export interface Answer {
  /** 0 if the server ended the connection before the body was sent. */
  readonly status: number;
  readonly text: string;
}

/** A service in a separate process, with a bystander who requests its health all the time. */
export interface AttackedService {
  /** Sends with a key for the container `mia` only. */
  send(attack: Attack, attempt?: number): Promise<Answer>;
  /** Meanwhile health is answered in time, refusals are short, nothing fails, and the process stays small. */
  expectBorne(attacks: Iterable<Attack>): Promise<void>;
  close(): Promise<void>;
}

export async function startAttackedService(): Promise<AttackedService> {
  const { serve, stop } = await startUntilStopped();
  const bystander = watchService(serve.url);
  const made = await sendTo(serve.url, KEY, {
    what: "a key",
    method: "POST",
    path: "/v3/auth/scoped-key",
    body: () => Buffer.from(JSON.stringify({ containerTag: "mia" })),
  });
  const { key } = JSON.parse(made.text) as { key: string };
  const send: AttackedService["send"] = (attack, attempt = 0) => sendTo(serve.url, key, attack, attempt);
  return {
    send,
    async expectBorne(attacks) {
      const objections: string[] = [];
      for (const attack of attacks) objections.push(...(await objectionsTo(attack, { send, bystander })));
      expect(objections).toEqual([]);
      expect(bystander.failed()).toBe(0);
      expect(peakMegabytesOf(serve.child.pid ?? 0)).toBeLessThanOrEqual(MOST_MEGABYTES);
    },
    async close() {
      await bystander.stop();
      await stop();
    },
  };
}

async function startUntilStopped(): Promise<{ serve: ServeProcess; stop: () => Promise<void> }> {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  let ended: Promise<void> = Promise.resolve();
  const serve = await new Promise<ServeProcess>((resolve, reject) => {
    ended = withDataDirectory(async (dataDirectory) => {
      const started = await startServe(dataDirectory, { RECOLLECT_API_KEY: KEY });
      resolve(started);
      await stopped;
      await started.stop();
    });
    ended.catch(reject);
  });
  return {
    serve,
    stop: () => {
      stop();
      return ended;
    },
  };
}

async function sendTo(url: string, key: string, attack: Attack, attempt = 0): Promise<Answer> {
  const { method, path, body, headers } = attack;
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      ...(body && { body: new Uint8Array(body(attempt)) }),
      headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}

interface Observed {
  readonly send: AttackedService["send"];
  readonly bystander: Bystander;
}

/**
 * The time that this machine takes by itself, in ms, without an attack: to answer, and to write to disk as much as the service
 * writes at a time.
 */
async function delayOfMachine(bystander: Bystander): Promise<number> {
  const file = join(tmpdir(), `recollect-delay-${process.pid}`);
  let written = 0;
  const answered = await bystander.during(async () => {
    for (let round = 0; round < 3; round += 1) {
      const begun = performance.now();
      await writeFile(file, Buffer.alloc(4 * 1024 * 1024), { flush: true });
      written = Math.max(written, performance.now() - begun);
    }
  });
  await rm(file);
  return Math.ceil(answered + written);
}

/** What is wrong with the service's reaction to an attack. */
async function objectionsTo(attack: Attack, { send, bystander }: Observed): Promise<string[]> {
  const what = `${attack.method} ${attack.path.slice(0, 100)} ${attack.what}`;
  const slowest: number[] = [];
  let answer: Answer = { status: 0, text: "" };
  let bound = SLOWEST_MS;
  for (let attempt = 0; attempt < ATTEMPTS && !slowest.some((ms) => ms <= bound); attempt += 1) {
    // Measured only when the machine may be the cause.
    if (attempt > 0) bound = SLOWEST_MS + (await delayOfMachine(bystander));
    const body = attack.body?.(attempt);
    const ready = { ...attack, ...(body && { body: () => body }) };
    const sendAll = () => Promise.all(Array.from({ length: attack.times ?? 1 }, () => send(ready)));
    slowest.push(await bystander.during(async () => ([answer = answer] = await sendAll())));
  }
  const { status, text } = answer;
  const objections: string[] = [];
  if (Math.min(...slowest) > bound)
    objections.push(`${what}: health took ${slowest.join(", ")} ms, more than ${bound}`);
  if (status >= 500) objections.push(`${what}: ${status} ${text.slice(0, 200)}`);
  if (status >= 400 && text.length > LONGEST_REFUSAL)
    objections.push(`${what}: it is refused in ${text.length} characters`);
  return objections;
}
