import { spawn } from "node:child_process";
import { ExtractionError } from "./extraction-error.js";

export interface ProgramRun {
  /** Null for one that was ended, because it wrote more than it may or took too long. */
  readonly code: number | null;
  readonly isLate: boolean;
  readonly output: Buffer;
  /** The beginning of what it complained about. */
  readonly complaint: string;
}

export interface ProgramOrder {
  /** The program and its options; no shell reads them. */
  readonly command: readonly [program: string, ...options: string[]];
  /** What it reads; without it, it has no input. */
  readonly input?: Uint8Array;
  /** Most that it may write; it is ended when it writes more. */
  readonly maximumBytes: number;
  /** Milliseconds; without a limit, it ends with the process that reads files at the latest. */
  readonly timeLimitMs?: number;
  /** Its whole environment; without it, that of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** What to tell where the program is not installed. */
  readonly missing: string;
}

const MOST_COMPLAINTS = 16_000;

/** Runs a program of this machine, and takes what it writes. @throws ExtractionError `missing_program` */
export function runProgram(order: ProgramOrder): Promise<ProgramRun> {
  const { input, maximumBytes, timeLimitMs, environment, signal, missing } = order;
  const [program, ...options] = order.command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, {
      stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
      windowsHide: true,
      killSignal: "SIGKILL",
      ...(environment && { env: environment }),
      ...(signal && { signal }),
    });
    const output: Buffer[] = [];
    let size = 0;
    let complaint = "";
    let isLate = false;
    const end = (): void => {
      isLate = true;
      child.kill("SIGKILL");
    };
    const timer = timeLimitMs === undefined ? undefined : setTimeout(end, timeLimitMs);
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) child.kill("SIGKILL");
      else output.push(chunk);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (complaint.length < MOST_COMPLAINTS) complaint += chunk.toString("utf8");
    });
    // It may end before it has read everything.
    child.stdin?.on("error", () => undefined);
    child.on("error", (error) => {
      clearTimeout(timer);
      const isMissing = "code" in error && error.code === "ENOENT";
      reject(isMissing ? new ExtractionError("missing_program", missing) : error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, isLate, output: Buffer.concat(output), complaint });
    });
    child.stdin?.end(input);
  });
}
