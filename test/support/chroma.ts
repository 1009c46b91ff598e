import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { createLocalChroma, type LocalChroma, type LocalChromaOptions } from "../../src/adapters/vectors/engine.js";
import { findBinding } from "../../src/adapters/vectors/engine-binding.js";
import { AppError } from "../../src/core/errors.js";
import type { Log, VectorIndex } from "../../src/core/ports.js";

/** Where all tests keep a downloaded Chroma engine, so that it is downloaded once per clone of the repository. */
export const ENGINES_DIRECTORY = fileURLToPath(new URL("../../node_modules/.cache/recollect-engines", import.meta.url));

const STALE_LOCK_MS = 10 * 60_000;

/** A log that keeps its lines, for tests that check what a person would have been told. */
export interface RememberingLog extends Log {
  readonly lines: { level: string; event: string; fields: Readonly<Record<string, unknown>> }[];
  says(event: string): boolean;
}

export function rememberingLog(): RememberingLog {
  const lines: RememberingLog["lines"] = [];
  const at =
    (level: string) =>
    (event: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void lines.push({ level, event, fields });
  return {
    lines,
    says: (event) => lines.some((line) => line.event.includes(event)),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
}

/**
 * Makes sure that a Chroma engine runs on this machine, downloading it at the first call of all test files.
 * @throws AppError saying why there is none; tests that need the real server must then fail instead of being skipped
 */
export async function provideEngine(): Promise<void> {
  const release = await lock(`${ENGINES_DIRECTORY}.lock`);
  try {
    const { signal } = new AbortController();
    await findBinding({ enginesDirectory: ENGINES_DIRECTORY, offline: false, log: rememberingLog(), signal });
  } finally {
    await release();
  }
}

/** A separate data directory, removed by `remove`. */
export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "recollect-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Starts the real server and waits until it answers. */
export async function startEngine(
  dataDirectory: string,
  options: Partial<LocalChromaOptions> = {},
): Promise<LocalChroma & { readonly url: string }> {
  await provideEngine();
  const engine = createLocalChroma({
    dataDirectory,
    enginesDirectory: ENGINES_DIRECTORY,
    offline: true,
    log: rememberingLog(),
    ...options,
  });
  engine.start();
  const address = await eventually(() => engine.failure ?? engine.address());
  if (typeof address === "string") throw new Error(address);
  return Object.assign(engine, { url: address.url });
}

/** Waits until a check returns something other than null, undefined or false. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  timeoutMs = 30_000,
): Promise<Exclude<T, null | undefined | false>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) {
      return answer as Exclude<T, null | undefined | false>;
    }
    if (Date.now() > deadline) throw new Error(`Nothing came of it within ${timeoutMs} ms: ${ask.toString()}`);
    await wait(20);
  }
}

/** Waits until an index is ready and has followed all changes of the record. */
export async function ready(index: Pick<VectorIndex, "status">, timeoutMs?: number): Promise<void> {
  await eventually(async () => {
    const { state, behind } = await index.status();
    return state === "ready" && behind === 0;
  }, timeoutMs);
}

/** An index in Chroma refuses searches while it is being built: retries until it answers. */
export function patient(index: VectorIndex): VectorIndex {
  return {
    nearest: (query) =>
      eventually(() =>
        index.nearest(query).catch((error: unknown) => {
          if (error instanceof AppError && error.kind === "unavailable") return null;
          throw error;
        }),
      ),
    status: () => index.status(),
    verify: (signal) => index.verify(signal),
    scrub: (signal) => index.scrub(signal),
    dropSpace: (spaceId) => index.dropSpace(spaceId),
    close: () => index.close(),
  };
}

/** False for a process that has ended, even if its exit code has not been collected yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

/** One test process at a time; the lock of a dead one is broken after a while. */
async function lock(folder: string): Promise<() => Promise<void>> {
  await mkdir(dirname(folder), { recursive: true });
  for (;;) {
    try {
      await mkdir(folder);
      return () => rm(folder, { recursive: true, force: true });
    } catch {
      const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > STALE_LOCK_MS) await rm(folder, { recursive: true, force: true });
      await wait(200);
    }
  }
}
