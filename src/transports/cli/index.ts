import { resolve } from "node:path";
import { Command } from "commander";
import { AppError } from "../../core/errors.js";
import { inTimeZone, instantOf, machineTimeZone } from "../../lib/time-zone.js";
import type { Cli, Register } from "./cli.js";
import { registerAdd } from "./commands/add.js";
import { registerAudit } from "./commands/audit.js";
import { registerBackup } from "./commands/backup.js";
import { registerCompletion } from "./commands/completion.js";
import { registerConnect } from "./commands/connect.js";
import { registerConnections } from "./commands/connections.js";
import { registerContainers } from "./commands/containers.js";
import { registerDoctor } from "./commands/doctor.js";
import { registerEmbeddings } from "./commands/embeddings.js";
import { registerForget } from "./commands/forget.js";
import { registerGrants } from "./commands/grants.js";
import { registerHistory } from "./commands/history.js";
import { registerKeys } from "./commands/keys.js";
import { registerList } from "./commands/list.js";
import { registerLogin } from "./commands/login.js";
import { registerMcp } from "./commands/mcp.js";
import { registerMove } from "./commands/move.js";
import { registerPassword } from "./commands/password.js";
import { registerProfile } from "./commands/profile.js";
import { registerPurge } from "./commands/purge.js";
import { registerReprocess } from "./commands/reprocess.js";
import { registerReview } from "./commands/review.js";
import { registerSearch } from "./commands/search.js";
import { registerServe } from "./commands/serve.js";
import { registerStatus } from "./commands/status.js";
import { registerTry } from "./commands/try.js";
import { registerUndo } from "./commands/undo.js";
import { EXIT_OK } from "./exit-codes.js";
import { inOptions } from "./in-options.js";
import { reportFailure } from "./failure.js";
import type { CliIo } from "./io.js";
import { createOutput, type Output } from "./output.js";
import { notEmpty } from "./options.js";
import { shellWord } from "./shell-word.js";
import type { Starters } from "./starters.js";

export type { CliIo } from "./io.js";
export type { ServiceInfo, Starters, Surroundings } from "./starters.js";

const COMMANDS: readonly Register[] = [
  registerServe,
  registerMcp,
  registerAdd,
  registerSearch,
  registerProfile,
  registerList,
  registerContainers,
  registerConnections,
  registerReview,
  registerForget,
  registerHistory,
  registerUndo,
  registerPurge,
  registerReprocess,
  registerKeys,
  registerGrants,
  registerAudit,
  registerBackup,
  registerMove,
  registerConnect,
  registerLogin,
  registerPassword,
  registerStatus,
  registerEmbeddings,
  registerDoctor,
  registerTry,
  registerCompletion,
];

/**
 * Runs one command line to its end; for `serve` and `mcp` that is the end of the service.
 * @returns the exit code: 0, 1 for a failure, 2 for wrong use. Never throws; standard output is flushed by then.
 */
export async function runCli(argv: readonly string[], starters: Starters, io: CliIo): Promise<number> {
  const output = createOutput(io, asksForJson(argv));
  const programName = io.programName ?? "recollect";
  const timeZone = io.timeZone ?? machineTimeZone();
  let exitCode = EXIT_OK;
  const program = createProgram(output, starters.version);
  const cli: Cli = {
    starters,
    output,
    programName,
    invocation: [programName, ...namedFolder(argv)].join(" "),
    stdin: io.stdin,
    defaultContainer: async () => io.defaultContainer ?? (await import("../../core/index.js")).DEFAULT_CONTAINER,
    localTime: (moment) => inTimeZone(moment, timeZone),
    momentOf: (text) => instantOf(text, timeZone),
    settings: () => settingsOf(program),
    exitWith: (code) => {
      exitCode = code;
    },
  };
  for (const register of COMMANDS) register(program, cli);
  const report = (error: unknown) => {
    const path = commandPath(program, argv);
    const hint = `Run \`${[programName, ...path.map((command) => command.name()), "--help"].join(" ")}\` for usage.`;
    return reportFailure(inOptions(error, path.at(-1) ?? program), output, {
      isDebug: io.isDebug ?? false,
      hint,
      invocation: cli.invocation,
    });
  };
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    exitCode = report(error);
  }
  try {
    await output.flush();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    exitCode = report(new AppError("unavailable", `Could not write to standard output: ${reason}`));
  }
  return exitCode;
}

function createProgram(output: Output, version: string): Command {
  return new Command("recollect")
    .description("A memory for AI agents: keep what matters, find it again by meaning and by words.")
    .version(version, "-V, --version", "print the version")
    .option(
      "--data-dir <folder>",
      "where everything is stored (default: RECOLLECT_DATA_DIR, or ~/.recollect)",
      notEmpty,
    )
    .option("--json", "print one line of JSON to standard output")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => output.write(text),
      // Only help for a command line that lacks a command; errors are reported when they reach `runCli`.
      writeErr: (text) => output.note(text.trimEnd()),
      outputError: () => undefined,
    })
    .exitOverride((error) => {
      throw error;
    });
}

/** Determined before parsing, so that a command line that cannot be parsed is answered in JSON too. */
function asksForJson(argv: readonly string[]): boolean {
  return beforeEnd(argv).includes("--json");
}

/** The arguments that may be options. */
function beforeEnd(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? argv.length : end);
}

/**
 * Determined before parsing, because hints are also printed for what cannot be parsed; absolute, because they may be typed in
 * another folder.
 */
function namedFolder(argv: readonly string[]): string[] {
  const named = beforeEnd(argv).flatMap((argument, index, all) => {
    if (argument === "--data-dir") return all[index + 1] ?? [];
    return argument.startsWith("--data-dir=") ? argument.slice("--data-dir=".length) : [];
  });
  const last = named.at(-1);
  if (last === undefined) return [];
  // The settings expand `~` to the home folder.
  return ["--data-dir", shellWord(last.startsWith("~") ? last : resolve(last))];
}

function settingsOf(program: Command): Record<string, string> {
  const { dataDir } = program.opts<{ dataDir?: string }>();
  return dataDir === undefined ? {} : { RECOLLECT_DATA_DIR: dataDir };
}

/** The command that the arguments begin with, e.g. `keys create`. */
function commandPath(program: Command, argv: readonly string[]): Command[] {
  const path: Command[] = [];
  let current: Command = program;
  for (const argument of argv) {
    const next = current.commands.find((command) => command.name() === argument);
    if (!next) continue;
    path.push(next);
    current = next;
  }
  return path;
}
