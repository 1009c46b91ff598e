import { howToInstall } from "../programs.js";
import type { ProgramRun } from "../../lib/run-program.js";
import { runExtractorProgram } from "../run-program.js";

/**
 * Runs ffmpeg or ffprobe and returns its output, up to `maximumBytes`. There is no separate time limit: when the extraction
 * process ends, everything it has started ends too.
 * @throws ExtractionError `missing_program`
 */
export function runFfmpeg(
  program: "ffmpeg" | "ffprobe",
  options: readonly string[],
  maximumBytes: number,
): Promise<ProgramRun> {
  return runExtractorProgram({ command: [program, ...options], maximumBytes, missing: MISSING_PROGRAM });
}

const HOW = howToInstall("ffmpeg").replace(/\.$/, "");
const MISSING_PROGRAM = `Reading recordings and videos needs the programs ffmpeg and ffprobe. Install them (${HOW}), and retry.`;
