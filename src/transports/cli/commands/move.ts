import type { Command } from "commander";
import { examples, type Cli } from "../cli.js";
import { untilInterrupted } from "../interrupt.js";
import { notEmpty } from "../options.js";
import type { Progress } from "../output.js";
import { shellWord } from "../shell-word.js";
import type { MovedRecord, MoveProgress } from "../starters.js";
import { count } from "../../../lib/count.js";

interface MoveOptions {
  readonly to: string;
  readonly wait: boolean;
}

export function registerMove(program: Command, cli: Cli): void {
  program
    .command("move")
    .description("Move the record to a PostgreSQL database, or from one back into the data folder.")
    .requiredOption("--to <place>", "postgres://user:password@host:5432/name, or `folder`", notEmpty)
    .option("--no-wait", "exit with 1 if a running service would have to be stopped, instead of waiting for it to end")
    .addHelpText(
      "after",
      `${examples(cli, ["$ move --to postgres://me@db.example:5432/recollect", "$ move --to folder --no-wait"])}
Copies the record while a service runs, waits until the service is stopped, copies what has changed, compares every table
on both sides, and only then makes the new place the record. If it is interrupted, the same command continues it. With
\`--to folder\`, DATABASE_URL names the database from which the record is moved. The password can be left out of the URL and
set in PGPASSWORD. The original is kept.
`,
    )
    .action(async (options: MoveOptions) => move(cli, options));
}

async function move(cli: Cli, { to, wait: waits }: MoveOptions): Promise<void> {
  const progress = cli.output.progress("checking both places");
  const moved = await moveUntilInterrupted(cli, { to, waits }, progress).finally(() => progress.stop());
  cli.output.answer(moved, () => describe(cli, moved, to));
}

async function moveUntilInterrupted(
  cli: Cli,
  wanted: { readonly to: string; readonly waits: boolean },
  progress: Progress,
): Promise<MovedRecord> {
  return untilInterrupted((signal) =>
    cli.starters.move(cli.settings(), { ...wanted, signal, tell: (at) => progress.update(lineOf(at, cli)) }),
  );
}

/** Only a terminal shows numbers that change all the time. */
function lineOf({ step, of, rows }: MoveProgress, { output }: Cli): string {
  if (step === "waiting")
    return `copied; waiting for the service at ${of} to end: stop it, and clients that started one, to continue`;
  const written = output.isTerminal && rows > 0 ? `; ${count(rows, "row")} written so far` : "";
  return `${step} ${of}${written}`;
}

function describe({ output, invocation }: Cli, moved: MovedRecord, to: string): string[] {
  const { from, to: place, setAside, wasMoved, tables, indexed } = moved;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const replaced = tables.reduce((sum, table) => sum + table.replaced, 0);
  const isFolder = to === "folder";
  const start = isFolder
    ? `To use it: unset DATABASE_URL, and RECOLLECT_NODES if it is set, and start \`${invocation} serve\`.`
    : `To use it: set DATABASE_URL=${shellWord(withoutPassword(to))}, with the password and options from --to, and start \`${invocation} serve\`. For several nodes, set RECOLLECT_NODES=several and what else they share on all of them.`;
  if (wasMoved) return [`The record is already in ${place}.`, start];
  return [
    `${output.style.green("moved:")} ${count(rows, "row")} of ${count(tables.length, "table")} from ${from} to ${place}; every table has the same rows and the same hash in both. The text index has ${count(indexed, "entry", "entries")}.`,
    ...(replaced === 0
      ? []
      : [`In ${count(replaced, "row")}, characters that PostgreSQL cannot store were replaced by U+FFFD.`]),
    ...(setAside === null
      ? [`The database keeps its copy, which is no longer used by any service.`]
      : [
          `The previous store is ${setAside}. It is a complete copy of the record: remove it once you no longer need it.`,
        ]),
    start,
  ];
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  url.password = "";
  url.search = "";
  return url.href;
}
