import type { Command } from "commander";
import type { JournalRow, MemoryHistory, Source } from "../../../core/index.js";
import type { Memory } from "../../../core/types.js";
import { examples, withCore, type Cli } from "../cli.js";
import { describeSource } from "../document-source.js";
import { printableLine } from "../style.js";

export function registerHistory(program: Command, cli: Cli): void {
  program
    .command("history")
    .description("Show how a memory came to be: its versions, the documents that state it, and every change to it.")
    .argument("<id>", "id of any version of a memory, as printed by search")
    .addHelpText(
      "after",
      examples(cli, ["$ history 3mJr7AoUXx2Wqd9ZtYbN4c", "$ history 3mJr7AoUXx2Wqd9ZtYbN4c --json"]),
    )
    .action(async (id: string) => {
      const history = await withCore(cli, ({ core, read }) => core.readHistory(read, { id }));
      cli.output.answer(history, () => describe(cli, history));
    });
}

function describe(cli: Cli, { memory, versions, sources, entries }: MemoryHistory): string[] {
  const { bold, dim } = cli.output.style;
  const last = entries.at(-1);
  return [
    bold("Versions"),
    ...versions.map((version) => describeVersion(cli, version)),
    ...(memory.entities ? [dim(`  about ${memory.entities.map(printableLine).join(", ")}`)] : []),
    "",
    bold("Sources"),
    ...(sources.length > 0 ? sources.map((source) => describeStating(cli, source)) : ["  none left"]),
    "",
    bold("Changes"),
    ...(entries.length > 0 ? entries.flatMap((entry) => describeEntry(cli, entry)) : ["  none kept"]),
    ...(last ? [dim(`To undo the last change: ${cli.invocation} undo ${last.batchId}`)] : []),
  ];
}

function describeVersion(cli: Cli, memory: Memory): string {
  const { dim } = cli.output.style;
  return `  ${memory.version}  ${printableLine(memory.text)}  ${dim(`${stateOf(cli, memory)} · ${day(cli, memory.createdAt)} · ${memory.id}`)}`;
}

function stateOf(cli: Cli, { isLatest, isForgotten, forgetReason }: Memory): string {
  const { green, red } = cli.output.style;
  const reason = forgetReason ? `: ${printableLine(forgetReason)}` : "";
  if (isForgotten) return red(`${isLatest ? "forgotten" : "undone"}${reason}`);
  return isLatest ? green("latest") : "replaced";
}

function describeStating(cli: Cli, { documentId: id, title, source, quote, addedAt }: Source): string {
  const isNamed = title !== null || source !== null;
  return `  ${describeSource({ id, title, source })}${isNamed ? ` [${id}]` : ""}, ${day(cli, addedAt)}${quote === null ? "" : `: “${printableLine(quote)}”`}`;
}

function describeEntry(cli: Cli, { at, action, actor, cause, batchId }: JournalRow): string[] {
  const { dim } = cli.output.style;
  const why = cause === null ? "" : `, ${printableLine(cause)}`;
  return [
    `  ${cli.localTime(at).slice(0, 16).replace("T", " ")}  ${action} by ${printableLine(actor)}${why}  ${dim(`[batch ${batchId}]`)}`,
  ];
}

function day(cli: Cli, moment: string): string {
  return cli.localTime(moment).slice(0, 10);
}
