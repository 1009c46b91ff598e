import type { Command } from "commander";
import { examples, type Cli } from "../cli.js";
import { untilInterrupted } from "../interrupt.js";
import { notEmpty } from "../options.js";
import { shellWord } from "../shell-word.js";
import { megabytes } from "../style.js";
import { count } from "../../../lib/count.js";

export function registerBackup(program: Command, cli: Cli): void {
  program
    .command("backup")
    .description("Copy the store and uploaded files into a new folder, even while a service is running.")
    .argument("<folder>", "the folder to create, outside the data folder", notEmpty)
    .addHelpText(
      "after",
      `${examples(cli, ["$ backup /mnt/backups/recollect-monday", "$ --data-dir ./data backup ../copy --json"])}
The copy contains everything acknowledged before the command started. It is a data folder: to restore it, copy it to its
final place and start with --data-dir. Later purges do not reach it. It does not contain secret.key, which encrypts the
credentials of connections: keep a copy of that file elsewhere.
`,
    )
    .action(async (folder: string) => backUp(cli, folder));
}

async function backUp(cli: Cli, target: string): Promise<void> {
  const progress = cli.output.progress("copying the store and checking the copy");
  const backup = await copyUntilInterrupted(cli, target).finally(() => progress.stop());
  const { folder, storeBytes, files, keyFile } = backup;
  cli.output.answer(backup, () => [
    `Backed up to ${folder}: the store (${megabytes(storeBytes)}) and ${count(files, "uploaded file")}.`,
    `To use it: \`${cli.programName} serve --data-dir ${shellWord(folder)}\`, preferably on a copy of it.`,
    ...(keyFile === null
      ? []
      : [
          `Not included: ${keyFile}, the key that encrypts the credentials of connections. Keep a copy of it elsewhere; without it, connections have to be signed in again after a restore.`,
        ]),
  ]);
}

/** Interrupting it leaves nothing half done. */
async function copyUntilInterrupted(cli: Cli, target: string): ReturnType<Cli["starters"]["backUp"]> {
  const controller = new AbortController();
  const copying = cli.starters.backUp(cli.settings(), target, controller.signal);
  try {
    return await untilInterrupted(() => copying);
  } catch (error) {
    controller.abort(error);
    await copying.catch(() => undefined);
    throw error;
  }
}
