import { createLog } from "../../src/lib/log.js";
import type { Log } from "../../src/core/ports.js";

/** One line of the log as an object. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly event: string;
}

/** The real log, written into an array. */
export function captureLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const log = createLog({
    level: "debug",
    format: "json",
    write: (line) => lines.push(JSON.parse(line) as LogLine),
  });
  return { ...log, lines };
}
