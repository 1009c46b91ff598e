import { execFileSync } from "node:child_process";

/** Makes a named pipe: opening it for reading blocks until something opens it for writing. */
export function makePipe(path: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
}
