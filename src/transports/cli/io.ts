import type { Readable, Writable } from "node:stream";
import type { TimeZone } from "../../lib/time-zone.js";

/** The streams and terminal properties that `main.ts` passes in. */
export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** True when a person watches: enables spinner and frames, and colours unless `useColor` says otherwise. */
  readonly isTerminal: boolean;
  /** Default `isTerminal`. */
  readonly useColor?: boolean;
  /** True at log level `debug`: unexpected errors show their stack. */
  readonly isDebug?: boolean;
  /** The container for commands that name none, where it is configured. */
  readonly defaultContainer?: string;
  /** Time zone in which the user's days are counted. Default: this machine's. */
  readonly timeZone?: TimeZone;
  /** How the user starts this program, for hints. Default `recollect`. */
  readonly programName?: string;
}
