import type { Command } from "commander";
import type { Diagnosis } from "../../../core/index.js";
import { sleep } from "../../../lib/time.js";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { EXIT_FAILED } from "../exit-codes.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";

/** A first start may have to download the vector engine. */
const ENGINE_START_MS = 60_000;
const POLL_MS = 200;

export function registerDoctor(program: Command, cli: Cli): void {
  program
    .command("doctor")
    .description("Check the whole service by using it: store, pipeline, embedder, vectors, jobs, disk.")
    .addHelpText("after", `${examples(cli, ["$ doctor", "$ doctor --json"])}\nExits with 1 if anything is wrong.`)
    .action(async () => examine(cli));
}

async function examine(cli: Cli): Promise<void> {
  const progress = cli.output.progress("checking; this takes a few seconds");
  const diagnosis = await withCore(cli, (access) => diagnoseWithEngine(access), { engine: "background" }).finally(() =>
    progress.stop(),
  );
  cli.output.answer(diagnosis, () => describe(cli, diagnosis));
  if (!diagnosis.ok) cli.exitWith(EXIT_FAILED);
}

/** The vector engine starts in the background; checking it before it is up would say nothing. */
async function diagnoseWithEngine({ core, read }: Access): Promise<Diagnosis> {
  const deadline = Date.now() + ENGINE_START_MS;
  while (Date.now() < deadline && (await core.status(read)).vectors.state === "starting") await sleep(POLL_MS);
  return core.diagnose(read);
}

function describe(cli: Cli, { checks, ok }: Diagnosis): string[] {
  const { green, red, bold } = cli.output.style;
  const width = Math.max(...checks.map((check) => check.name.length));
  const wrong = checks.filter((check) => !check.ok).length;
  return [
    ...checks.flatMap((check) => [
      `${check.ok ? green("ok  ") : red("FAIL")}  ${check.name.padEnd(width)}  ${printableLine(check.detail)}`,
      ...(check.ok || !check.fix
        ? []
        : [`      ${" ".repeat(width)}  ${bold("what to do:")} ${printableLine(check.fix)}`]),
    ]),
    ok ? green("All is well.") : red(`${count(wrong, "check")} failed.`),
  ];
}
