import { MissingProgram, type ProgramOrder, type ProgramRun, runProgram } from "../lib/run-program.js";
import { ExtractionError } from "./extraction-error.js";

/**
 * Runs an installed program and returns its output.
 * @param order including the message if the program is not installed
 * @throws ExtractionError `missing_program`
 */
export async function runExtractorProgram({
  missing,
  ...order
}: ProgramOrder & { readonly missing: string }): Promise<ProgramRun> {
  try {
    return await runProgram(order);
  } catch (error) {
    throw error instanceof MissingProgram ? new ExtractionError("missing_program", missing) : error;
  }
}
