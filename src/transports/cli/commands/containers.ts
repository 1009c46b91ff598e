import type { Command } from "commander";
import type { ListedContainer } from "../../../core/index.js";
import { examples, withCore, type Cli } from "../cli.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";

export function registerContainers(program: Command, cli: Cli): void {
  program
    .command("containers")
    .description("List the containers and how much each contains, most recently used first.")
    .addHelpText("after", examples(cli, ["$ containers", "$ containers --json"]))
    .action(async () => {
      const { containers } = await withCore(cli, ({ core, read }) => core.listContainers(read));
      const { presentListedContainer } = await import("../../rest/containers/present-container.js");
      cli.output.answer(containers.map(presentListedContainer), () => describe(cli, containers));
    });
}

function describe(cli: Cli, containers: readonly ListedContainer[]): string[] {
  const { bold, dim } = cli.output.style;
  if (containers.length === 0) return ["There are no containers yet; adding the first text creates one."];
  const width = Math.max(...containers.map(({ tag }) => tag.length));
  return containers.map(({ tag, name, memoryCount, documentCount, lastActivityAt }) => {
    const kept = `${count(memoryCount, "memory", "memories")} from ${count(documentCount, "document")}`;
    const used = lastActivityAt === null ? "empty" : cli.localTime(lastActivityAt).slice(0, 10);
    const title = name === null || name === tag ? "" : ` · ${printableLine(name)}`;
    return `${bold(tag.padEnd(width))}  ${kept}  ${dim(`${used}${title}`)}`;
  });
}
