import { execFileSync } from "node:child_process";

/** Makes a pipe with a name: whoever opens it to read waits until somebody writes to it. */
export function makePipe(path: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
}
