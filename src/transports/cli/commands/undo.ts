import type { Command } from "commander";
import type { Undone } from "../../../core/index.js";
import { examples, withCore, type Cli } from "../cli.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";

export function registerUndo(program: Command, cli: Cli): void {
  program
    .command("undo")
    .description("Undo a batch of changes: bring back what was forgotten or replaced, and forget what was added.")
    .argument("<batch>", "id of the batch, as printed by history; an undo is a batch, too")
    .addHelpText("after", examples(cli, ["$ undo 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (batchId: string) => {
      const undone = await withCore(cli, ({ core, newWrite }) => core.undoBatch(newWrite(), { batchId }));
      cli.output.answer(undone, () => describe(cli, undone));
    });
}

function describe(cli: Cli, { undone, skipped, batchId }: Undone): string[] {
  const { green, yellow } = cli.output.style;
  return [
    `${green("undone:")} ${count(undone, "change")}`,
    ...skipped.map(({ memoryId, reason }) => {
      const what = memoryId === null ? "" : `memory ${memoryId}: `;
      return `${yellow("left unchanged:")} ${what}${printableLine(reason)}`;
    }),
    `To undo this: ${cli.invocation} undo ${batchId}`,
  ];
}
