import type { Command } from "commander";
import type { Purged } from "../../../core/index.js";
import { examples, withCore, type Cli } from "../cli.js";
import { confirm } from "../confirm.js";
import { UsageError } from "../failure.js";
import { notEmpty } from "../options.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";

interface PurgeOptions {
  readonly document?: string;
  readonly memory?: string;
  readonly container?: string;
  readonly yes?: true;
}

export function registerPurge(program: Command, cli: Cli): void {
  program
    .command("purge")
    .description("Permanently remove a document, a memory or a container from every file; this cannot be undone.")
    .option("--document <id>", "a document, by its id or customId, with what only it states", notEmpty)
    .option("--memory <id>", "a memory with all its versions, and what it says in documents", notEmpty)
    .option("-c, --container <tag>", "a container and everything in it", notEmpty)
    .option("-y, --yes", "do not ask; required outside a terminal")
    .addHelpText(
      "after",
      examples(cli, ["$ purge --document 3mJr7AoUXx2Wqd9ZtYbN4c", "$ purge --container old-project --yes"]),
    )
    .action(async (options: PurgeOptions) => purge(cli, options));
}

async function purge(cli: Cli, options: PurgeOptions): Promise<void> {
  const { document, memory, container } = options;
  const named = [
    ...(document === undefined ? [] : [`the document ${printableLine(document)}`]),
    ...(memory === undefined ? [] : [`the memory ${printableLine(memory)}`]),
    ...(container === undefined ? [] : [`everything in the container ${printableLine(container)}`]),
  ];
  const [what, ...more] = named;
  if (what === undefined || more.length > 0)
    throw new UsageError("specify what to purge in exactly one way: --document, --memory or --container");
  const warning = `${cli.output.style.red(`This permanently removes ${what}.`)} It cannot be undone.`;
  if (!options.yes && !(await confirm(cli, warning, "purge"))) {
    cli.output.note("Nothing was changed.");
    cli.exitWith(1);
    return;
  }
  const purged = await withCore(cli, ({ core, newWrite }) =>
    core.purge(newWrite(), { documentId: document, memoryId: memory, containerTag: container, confirm: true }),
  );
  cli.output.answer(purged, () => describe(cli, purged));
}

function describe({ output, invocation }: Cli, purged: Purged): string[] {
  const { documents, memories, files, passages, statedIn, complete } = purged;
  const parts = [
    count(documents, "document", "documents"),
    count(memories, "version of memories", "versions of memories"),
    count(files, "file", "files"),
    ...(passages > 0 ? [`${count(passages, "passage", "passages")} of documents`] : []),
  ];
  return [
    `${output.style.green("purged:")} ${parts.join(", ")}`,
    ...(statedIn.length === 0 ? [] : ["These documents stated it and may still contain it. To remove one as well:"]),
    ...statedIn.map((id) => `  ${invocation} purge --document ${id}`),
    ...(complete ? [] : ["What is left in files is overwritten as soon as possible, even after a restart."]),
  ];
}
