import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { z } from "zod";

import type { Log } from "../../core/ports.js";
import { identityAt } from "../../lib/file-identity.js";
import { sleep } from "../../lib/time.js";

/** Records which engine wrote a data folder, and which process last used it. */
const NOTE = "recollect.json";
const noteShape = z.object({
  engine: z.string(),
  pid: z.number().int().positive(),
  port: z.number().int().positive(),
  /** The folder that this was written for; a copied folder has another one. */
  folder: z.string().optional(),
});
export type EngineNote = Omit<z.infer<typeof noteShape>, "folder">;

const PREDECESSOR_ENDS_WITHIN_MS = 5_000;

/**
 * Prepares the folder for an engine of this version. Data of another or unknown version is renamed, never read: engines neither
 * promise to read each other's files nor notice when they cannot.
 * @throws the signal's reason when it aborts first
 */
export async function prepareEngineFolder(
  folder: string,
  version: string,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const note = await readNote(folder);
  if (note !== null && isAbout(folder, note)) await waitForPredecessor(note, signal);
  const isEmpty = (await readdir(folder)).length === 0;
  if (isEmpty || note?.engine === version) return;
  await setAside(folder, `it was written by engine ${note?.engine ?? "unknown"}, not ${version}`, log);
}

/** Where the engine of a data folder keeps its files. */
export function engineFolder(dataDirectory: string): string {
  return join(dataDirectory, "chroma");
}

/** Removes all files of the engine, including those set aside; the engine of this process must have ended. */
export async function removeEngineData(dataDirectory: string, signal = new AbortController().signal): Promise<void> {
  const folder = engineFolder(dataDirectory);
  const note = await readNote(folder);
  if (note !== null && isAbout(folder, note)) await waitForPredecessor(note, signal);
  for (const name of await readdir(dataDirectory))
    if (name === basename(folder) || name.startsWith(asidePrefix(folder)))
      await rm(join(dataDirectory, name), { recursive: true, force: true, maxRetries: 5 });
}

function asidePrefix(folder: string): string {
  return `${basename(folder)}.set-aside-`;
}

/** Records who uses the folder from now on. */
export async function noteEngine(folder: string, note: EngineNote): Promise<void> {
  const path = join(folder, NOTE);
  await writeFile(path, JSON.stringify({ ...note, folder: identityAt(folder) }), { mode: 0o600 });
}

/** Renames the folder and creates an empty one. Of several folders set aside, only the newest is kept. */
export async function setAside(folder: string, reason: string, log: Log): Promise<void> {
  const parent = dirname(folder);
  const prefix = asidePrefix(folder);
  const older = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  const target = join(parent, `${prefix}${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
  await rename(folder, target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  log.warn("the data folder of Chroma was set aside; it is rebuilt from the record", { folder: target, reason });
  for (const name of older) await rm(join(parent, name), { recursive: true, force: true });
}

async function readNote(folder: string): Promise<z.infer<typeof noteShape> | null> {
  try {
    return noteShape.parse(JSON.parse(await readFile(join(folder, NOTE), "utf8")));
  } catch {
    return null;
  }
}

/** A copied note names an engine that runs on the original folder and is not ours. */
function isAbout(folder: string, note: z.infer<typeof noteShape>): boolean {
  return note.folder === undefined || note.folder === identityAt(folder);
}

/**
 * Two engines on one folder lose vectors silently. If an engine's owner was killed, the engine ends by itself within moments; one
 * that does not, and still answers at its port, is killed.
 */
async function waitForPredecessor(note: EngineNote, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + PREDECESSOR_ENDS_WITHIN_MS;
  while (isAlive(note.pid)) {
    if (Date.now() < deadline) {
      await sleep(25, { signal, unref: true });
      continue;
    }
    // The pid may have been reused by now; only a process that also answers as an engine is ours.
    if (await answersAsEngine(note.port)) process.kill(note.pid, "SIGKILL");
    return;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/** An ended process that has not been reaped keeps its pid, in many containers for ever. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** Whether a Chroma server answers at this port of the loopback interface. */
export async function answersAsEngine(port: number, timeoutMs = 2_000): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v2/heartbeat`, { signal: AbortSignal.timeout(timeoutMs) });
    return answer.ok && JSON.stringify(await answer.json()).includes("heartbeat");
  } catch {
    return false;
  }
}
