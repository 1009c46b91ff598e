// Tracks every process and folder of a run, so that none is left when it ends, however it ends.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const children = new Set();
const folders = new Set();

/** A process that ends with the bench at the latest. */
export function startChild(command, args, options) {
  const child = spawn(command, args, options);
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** Asks a process to end, and kills it after some seconds. */
export async function endChild(child, signal = "SIGTERM") {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(timer);
}

/** An empty folder that is removed with the bench at the latest. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "recollect-bench-"));
  folders.add(path);
  return path;
}

export function removeFolder(path) {
  folders.delete(path);
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Ends and removes everything immediately. */
export function removeAll() {
  for (const child of children) child.kill("SIGKILL");
  for (const path of folders) removeFolder(path);
}

/** From here on, interrupting the bench leaves nothing behind either. */
export function cleanUpWhenInterrupted() {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ])
    process.once(signal, () => {
      removeAll();
      process.exit(code);
    });
  process.once("exit", removeAll);
}

/** Resident memory of a process in MB, current and peak; null if the system does not report it. */
export function memoryOf(pid) {
  const status = readProc(pid, "status");
  const megabytes = (field) => {
    const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  };
  return { resident: megabytes("VmRSS"), highest: megabytes("VmHWM") };
}

/** Processor time of a process so far, in milliseconds; null if the system does not report it. */
export function processorTimeOf(pid) {
  const fields = readProc(pid, "stat")
    .replace(/^.*\) /s, "")
    .split(" ");
  const TICK_MS = 10;
  return fields.length > 13 ? (Number(fields[11]) + Number(fields[12])) * TICK_MS : null;
}

/** Ids of the direct children of a process. */
export function childrenOf(pid) {
  return listProcesses().filter(
    (one) =>
      Number(
        readProc(one, "stat")
          .replace(/^.*\) \S /s, "")
          .split(" ")[0],
      ) === pid,
  );
}

function listProcesses() {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
