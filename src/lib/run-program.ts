import { type ChildProcess, spawn } from "node:child_process";

export interface ProgramRun {
  /** Null for a program that was killed because it exceeded its output or time limit. */
  readonly code: number | null;
  readonly isLate: boolean;
  readonly isTooMuch: boolean;
  readonly output: Buffer;
  /** The start of its error output. */
  readonly complaint: string;
}

export interface ProgramOrder {
  /** The program and its options, not interpreted by a shell. */
  readonly command: readonly [program: string, ...options: string[]];
  /** Its standard input; none if absent. */
  readonly input?: Uint8Array | undefined;
  /** Output limit; the program is killed when it writes more. */
  readonly maximumBytes: number;
  /** Milliseconds; without a limit, it ends at the latest with the process that started it. */
  readonly timeLimitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Its working directory; that of this process if absent. */
  readonly folder?: string | undefined;
  /** Its whole environment; that of this process if absent. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whether its child processes end with it. */
  readonly leadsGroup?: boolean;
}

/** A program that is not installed. */
export class MissingProgram extends Error {
  override readonly name = "MissingProgram";
}

const MOST_COMPLAINTS = 16_000;
const HAS_GROUPS = process.platform !== "win32";

/** Runs a local program and collects its output. @throws MissingProgram, the reason of the signal */
export function runProgram(order: ProgramOrder): Promise<ProgramRun> {
  const { input, maximumBytes, timeLimitMs, signal, folder, environment, leadsGroup = false } = order;
  const [program, ...options] = order.command;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = spawn(program, options, {
      stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
      windowsHide: true,
      detached: leadsGroup && HAS_GROUPS,
      ...(folder !== undefined && { cwd: folder }),
      ...(environment && { env: { ...environment } }),
    });
    const output: Buffer[] = [];
    let size = 0;
    let complaint = "";
    let isLate = false;
    const end = (): void => kill(child, leadsGroup);
    const timer =
      timeLimitMs === undefined
        ? undefined
        : setTimeout(() => {
            isLate = true;
            end();
          }, timeLimitMs);
    const stopListening = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    };
    signal?.addEventListener("abort", end, { once: true });
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) end();
      else output.push(chunk);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (complaint.length < MOST_COMPLAINTS) complaint += chunk.toString("utf8");
    });
    // It may end before it has read everything.
    child.stdin?.on("error", () => undefined);
    child.on("error", (error) => {
      stopListening();
      const isMissing = "code" in error && error.code === "ENOENT";
      reject(isMissing ? new MissingProgram(program) : error);
    });
    child.on("close", (code) => {
      stopListening();
      if (signal?.aborted) return reject(signal.reason as Error);
      resolve({ code, isLate, isTooMuch: size > maximumBytes, output: Buffer.concat(output), complaint });
    });
    child.stdin?.end(input);
  });
}

function kill(child: ChildProcess, leadsGroup: boolean): void {
  child.kill("SIGKILL");
  if (!leadsGroup || !HAS_GROUPS || child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}
