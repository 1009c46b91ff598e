import { createInterface } from "node:readline/promises";
import { Writable, type Readable } from "node:stream";
import type { Cli } from "./cli.js";
import { UsageError } from "./failure.js";
import { untilInterrupted } from "./interrupt.js";

/**
 * Asks the person at the terminal to type yes.
 * @param warning what will happen, in one line
 * @param deed for the error: what `--yes` does without asking
 * @throws UsageError where nobody can be asked
 */
export async function confirm({ stdin, output }: Cli, warning: string, deed: string): Promise<boolean> {
  if (!output.isTerminal || output.isJson || !isTerminal(stdin))
    throw new UsageError(`cannot ask for confirmation here; add --yes to ${deed} without asking`);
  output.note(`${warning} Type ${output.style.bold("yes")} to continue:`);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent });
  try {
    return await untilInterrupted(async () => {
      for await (const line of lines) return line.trim().toLowerCase() === "yes";
      return false;
    });
  } finally {
    lines.close();
  }
}

/** True for a stream at which a person types. */
export function isTerminal(stream: Readable): boolean {
  return "isTTY" in stream && stream.isTTY === true;
}
