import type { Command } from "commander";
import { askSecrets } from "../ask.js";
import { examples, withCore, type Cli } from "../cli.js";
import { UsageError } from "../failure.js";
import { readTextFrom } from "../read-text.js";
import { count } from "../../../lib/count.js";

interface PasswordOptions {
  readonly stdin?: true;
  readonly remove?: true;
}

export function registerPassword(program: Command, cli: Cli): void {
  program
    .command("password")
    .description("Set the password for signing in to the pages of the service. Signs out all browsers.")
    .option("--stdin", "read it from standard input instead of asking twice")
    .option("--remove", "remove the password; you can still sign in with links and keys")
    .addHelpText("after", examples(cli, ["$ password", "$ password --stdin < secret.txt", "$ password --remove"]))
    .action(async (options: PasswordOptions) => setPassword(cli, options));
}

async function setPassword(cli: Cli, options: PasswordOptions): Promise<void> {
  if (options.stdin && options.remove) throw new UsageError("choose one of --stdin and --remove");
  const password = options.remove ? null : options.stdin ? await readPassword(cli) : await askPassword(cli);
  const set = await withCore(cli, ({ core, newWrite }) => core.setPassword(newWrite(), { password }));
  const { green } = cli.output.style;
  const ended = set.ended === 0 ? "" : ` ${count(set.ended, "browser was", "browsers were")} signed out.`;
  cli.output.answer(set, () => [
    `${green(set.isSet ? "The password is set." : "There is no longer a password.")}${ended}`,
  ]);
}

async function readPassword({ stdin }: Cli): Promise<string> {
  return (await readTextFrom(stdin, "standard input")).replace(/\r?\n$/, "");
}

async function askPassword(cli: Cli): Promise<string> {
  const questions = ["New password, at least 12 characters (input is hidden):", "Repeat the password:"];
  const answers = await askSecrets(cli, questions, "pipe the password in and add --stdin");
  const [first = "", second] = answers ?? [];
  if (answers === null) throw new UsageError("no password was entered; nothing was changed");
  if (first !== second) throw new UsageError("the passwords do not match; nothing was changed");
  return first;
}
