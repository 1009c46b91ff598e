import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Cli } from "./cli.js";
import { isTerminal } from "./confirm.js";
import { UsageError } from "./failure.js";
import { untilInterrupted } from "./interrupt.js";

export interface AskedQuestion {
  /** One line. */
  readonly text: string;
  /** True: the input is not echoed. */
  readonly isSecret: boolean;
}

/** As `askUser`, for input that is not echoed. */
export async function askSecrets(cli: Cli, questions: readonly string[], instead: string): Promise<string[] | null> {
  return askUser(
    cli,
    questions.map((text) => ({ text, isSecret: true })),
    instead,
  );
}

/** The answers to all questions. @throws UsageError where the input ended too early */
export function requireAnswers(answers: readonly string[] | null): readonly string[] {
  if (answers === null) throw new UsageError("the input ended before every question was answered");
  return answers;
}

/** True where somebody can be asked. */
export function canAsk({ stdin, output }: Cli): boolean {
  return output.isTerminal && !output.isJson && isTerminal(stdin);
}

/**
 * Asks the person at the terminal.
 * @param instead for the error: what to do where nobody can be asked
 * @returns the answers, or null when the input ended before all were given
 * @throws UsageError where nobody can be asked
 */
export async function askUser(
  cli: Cli,
  questions: readonly AskedQuestion[],
  instead: string,
): Promise<string[] | null> {
  if (!canAsk(cli)) throw new UsageError(`cannot ask for input here; ${instead}`);
  const { stdin, output } = cli;
  const answers: string[] = [];
  // A readline terminal, so that input is edited as usual but echoed only where it may be.
  const screen = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (questions[answers.length]?.isSecret === false) output.echo(chunk.toString());
      done();
    },
  });
  const lines = createInterface({ input: stdin, output: screen, terminal: true, historySize: 0, prompt: "" });
  const pose = () => output.note(questions[answers.length]?.text ?? "");
  try {
    return await untilInterrupted(
      () =>
        new Promise((resolve) => {
          lines.on("close", () => resolve(null));
          // Immediately, so that no secret pasted together with the previous answer is shown.
          lines.on("line", (line) => {
            answers.push(line);
            if (answers.length === questions.length) resolve(answers);
            else if (answers.length < questions.length) pose();
          });
          if (questions.length === 0) resolve(answers);
          else pose();
        }),
    );
  } finally {
    lines.close();
  }
}
