import type { Readable } from "node:stream";
import type { Command } from "commander";
import type { Call, Core, UploadStore } from "../../core/index.js";
import { createId } from "../../lib/ids.js";
import { untilInterrupted } from "./interrupt.js";
import type { Output } from "./output.js";
import type { Starters } from "./starters.js";

/** What every command works with. */
export interface Cli {
  readonly starters: Starters;
  readonly output: Output;
  readonly stdin: Readable;
  /** How the user starts this program, for examples. */
  readonly programName: string;
  /** The same with the data folder that this command line names, so that a hint typed as printed is about the same memory. */
  readonly invocation: string;
  /** The container for a command that needs one and names none. */
  readonly defaultContainer: () => Promise<string>;
  /** A moment (ISO 8601) in the user's time zone, as `inTimeZone` writes it: its first ten characters are the day. */
  readonly localTime: (moment: string) => string;
  /** The moment that a date or date-time means in the user's time zone; null for anything else. */
  readonly momentOf: (text: string) => Date | null;
  /** Settings from the options common to all commands, by setting name. */
  readonly settings: () => Readonly<Record<string, string>>;
  /** Sets the exit code of a command that ends without an error; 0 by default. */
  readonly exitWith: (code: number) => void;
}

/** Adds a command to the program. */
export type Register = (program: Command, cli: Cli) => void;

/** The core with the two kinds of call that a command makes. */
export interface Access {
  readonly core: Core;
  readonly read: Call;
  /** A call that takes effect once, however often it is sent. */
  readonly newWrite: () => Call;
  /** Holds files until they are sent to the owner. */
  readonly uploads: UploadStore;
  /** Aborted once the user ends the command: nothing new is begun then. */
  readonly ended: AbortSignal;
}

/**
 * Opens the store, or a connection to its owner, while the work runs; a signal ends it early but cleanly.
 * @throws AppError `not_found` where there is no memory and `begins` is not set
 */
export async function withCore<T>(
  cli: Cli,
  work: (access: Access) => Promise<T>,
  options: {
    engine?: "background" | "off";
    begins?: boolean;
    stays?: boolean;
    settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<T> {
  const settings = { ...cli.settings(), ...options.settings };
  const { engine = "off", begins = false, stays = false } = options;
  const door = await cli.starters.openDoor({ settings, engine, begins, stays });
  const { core, actor, begun, uploads } = door;
  if (begun !== undefined) cli.output.note(`Created a new memory in ${begun}.`);
  try {
    const asker = { actor, from: { face: "cli" } } as const;
    const newWrite = () => ({ ...asker, operationId: createId() });
    return await untilInterrupted((ended) => work({ core, read: asker, newWrite, uploads, ended }));
  } finally {
    await door.close();
  }
}

/** The examples below a command's help; `$` stands for the program. */
export function examples(cli: Cli, lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line.replace("$", cli.programName)}`).join("\n")}\n`;
}
