import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Cli } from "./cli.js";
import { isTerminal } from "./confirm.js";
import { UsageError } from "./failure.js";
import { untilInterrupted } from "./interrupt.js";

/**
 * Asks the person at the terminal for words that are not shown while they are typed.
 * @param questions one line each
 * @param instead for the error: what to do where nobody can be asked
 * @returns the answers, or null when input ended before all were given
 * @throws UsageError where nobody can be asked
 */
export async function askSecrets(
  { stdin, output }: Cli,
  questions: readonly string[],
  instead: string,
): Promise<string[] | null> {
  if (!output.isTerminal || output.isJson || !isTerminal(stdin))
    throw new UsageError(`nobody can be asked here; ${instead}`);
  // A terminal of its own that draws nothing: what is typed is edited as usual and never echoed.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true, historySize: 0 });
  const answers: string[] = [];
  try {
    return await untilInterrupted(async () => {
      const [first, ...others] = questions;
      if (first === undefined) return answers;
      output.note(first);
      for await (const line of lines) {
        answers.push(line);
        const next = others[answers.length - 1];
        if (next === undefined) return answers;
        output.note(next);
      }
      return null;
    });
  } finally {
    lines.close();
  }
}
