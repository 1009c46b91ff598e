import { spawn } from "node:child_process";
import { ExtractionError } from "../extraction-error.js";

export interface ProgramRun {
  /** Null for one that was ended because it wrote more than it may. */
  readonly code: number | null;
  readonly output: Buffer;
  /** The beginning of what it complained about. */
  readonly complaint: string;
}

const MOST_COMPLAINTS = 16_000;

/**
 * Runs ffmpeg or ffprobe without a shell and without input, and takes what it writes, up to `maximumBytes`. It has no time limit of its
 * own: the process that reads files ends with all that it has started.
 * @throws ExtractionError `missing_program`
 */
export function runProgram(
  program: "ffmpeg" | "ffprobe",
  options: readonly string[],
  maximumBytes: number,
): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    const output: Buffer[] = [];
    let size = 0;
    let complaint = "";
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) child.kill("SIGKILL");
      else output.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (complaint.length < MOST_COMPLAINTS) complaint += chunk.toString("utf8");
    });
    child.on("error", (error) =>
      reject(
        "code" in error && error.code === "ENOENT" ? new ExtractionError("missing_program", MISSING_PROGRAM) : error,
      ),
    );
    child.on("close", (code) => resolve({ code, output: Buffer.concat(output), complaint }));
  });
}

const MISSING_PROGRAM =
  "Reading recordings and videos needs the programs ffmpeg and ffprobe. Install them (Debian and Ubuntu: `apt install ffmpeg`, " +
  "macOS: `brew install ffmpeg`, Windows: `winget install Gyan.FFmpeg`), and retry.";
