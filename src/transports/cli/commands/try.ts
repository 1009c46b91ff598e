import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { EXIT_FAILED } from "../exit-codes.js";
import { runTour, type Step } from "../tour.js";
import { indent } from "../style.js";

export function registerTry(program: Command, cli: Cli): void {
  program
    .command("try")
    .description("See it work in a minute: add, recall, update, profile and forget, in a temporary folder.")
    .addHelpText("after", examples(cli, ["$ try", "$ try --json"]))
    .action(async () => showTour(cli));
}

async function showTour(cli: Cli): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-try-"));
  try {
    await withCore(cli, (access) => presentTour(cli, access), {
      begins: true,
      settings: { RECOLLECT_DATA_DIR: folder },
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function presentTour(cli: Cli, access: Access): Promise<void> {
  const { output, programName } = cli;
  const steps: Step[] = [];
  for await (const step of runTour(access)) {
    steps.push(step);
    if (!output.isJson) output.write(`${describeStep(cli, step, steps.length)}\n`);
  }
  const ok = steps.every((step) => step.ok);
  if (!ok) cli.exitWith(EXIT_FAILED);
  output.answer({ ok, steps }, () => [
    ok
      ? `That was the whole tour. To start your own memory: ${programName} add "…", or ${programName} mcp in your agent.`
      : `A step did not show what it should. To find out more: ${programName} doctor`,
  ]);
}

function describeStep(cli: Cli, step: Step, number: number): string {
  const { bold, dim, red } = cli.output.style;
  return [
    bold(`${number}. ${step.title}`),
    indent(step.explanation, 3),
    dim(`   $ ${cli.programName} ${step.command}`),
    ...step.result.map((line) => indent(line, 5)),
    ...(step.ok ? [] : [red("   This is not what was expected.")]),
    "",
  ].join("\n");
}
