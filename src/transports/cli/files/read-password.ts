import { createReadStream } from "node:fs";
import type { Cli } from "../cli.js";
import { UsageError } from "../failure.js";
import { readTextFrom } from "../read-text.js";

/**
 * The password in a file, or from standard input for `-`; on the command line itself, every user of the machine would see it.
 * @throws UsageError where there is none
 */
export async function readPassword(cli: Cli, path: string | undefined): Promise<{ readonly password?: string }> {
  if (path === undefined) return {};
  const isPiped = path === "-";
  const text = await readTextFrom(isPiped ? cli.stdin : createReadStream(path), isPiped ? "standard input" : path);
  const password = text.replace(/\r?\n$/, "");
  if (password === "") throw new UsageError("--password-file contains no password");
  return { password };
}
