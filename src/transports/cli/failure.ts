import { CommanderError } from "commander";
import { AppError } from "../../core/errors.js";
import { exitCodeOf } from "../errors.js";
import { EXIT_FAILED, EXIT_OK, EXIT_WRONG_USE } from "./exit-codes.js";
import type { Output } from "./output.js";
import { printableLine, printable } from "./style.js";

/** The command line cannot be understood; the message says how it should read. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

interface FailureOptions {
  readonly isDebug: boolean;
  /** How to get usage help. */
  readonly hint: string;
  /** How to start this program on the same memory. */
  readonly invocation: string;
}

/** Reports what went wrong on standard error and returns the exit code. */
export function reportFailure(error: unknown, output: Output, options: FailureOptions): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT_OK;
  // The help that answers it is on standard error already.
  if (error instanceof CommanderError && error.code === "commander.help" && !output.isJson) return EXIT_WRONG_USE;
  const failure = describe(error, options);
  if (output.isJson) output.complain(JSON.stringify({ error: failure.error, message: failure.message }));
  else {
    // Parts of it may be written by strangers, such as names of folders at a source.
    output.complain(`${output.style.red("error:")} ${printable(failure.message)}`);
    if (failure.hint) output.complain(failure.hint);
  }
  if (options.isDebug && error instanceof Error && error.stack) output.note(error.stack);
  return failure.exitCode;
}

interface Failure {
  /** Machine-readable: an error kind of the core, or `usage`. */
  readonly error: string;
  readonly message: string;
  readonly hint?: string;
  readonly exitCode: number;
}

function describe(error: unknown, { hint, invocation }: FailureOptions): Failure {
  if (error instanceof CommanderError) {
    const isBare = error.code === "commander.help";
    const message = isBare ? "a command is missing" : error.message.replace(/^error: /, "");
    return { error: "usage", message, hint, exitCode: EXIT_WRONG_USE };
  }
  if (error instanceof UsageError) return { error: "usage", message: error.message, hint, exitCode: EXIT_WRONG_USE };
  if (error instanceof AppError) {
    const exitCode = exitCodeOf(error.kind);
    return { error: error.kind, message: error.message, exitCode, ...(exitCode === EXIT_WRONG_USE && { hint }) };
  }
  // Thrown by the settings reader, which a transport does not know.
  if (error instanceof Error && error.name === "ConfigError")
    return { error: "invalid", message: error.message, hint, exitCode: EXIT_WRONG_USE };
  const cause = error instanceof Error ? error.message : String(error);
  return {
    error: "internal",
    message: `something unexpected went wrong: ${printableLine(cause)}`,
    hint: `Run it again with RECOLLECT_LOG_LEVEL=debug to see where, and \`${invocation} doctor\` to check the store.`,
    exitCode: EXIT_FAILED,
  };
}
