import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const serviceSchema = z.object({
  url: z.string(),
  /** Where others reach it, if that is elsewhere. */
  publicUrl: z.string().optional(),
  pid: z.number(),
  version: z.string(),
  token: z.string(),
  /** A secret with which only the owner, and readers of this file, can answer. Empty from versions that had none. */
  nonce: z.string().default(""),
});

/** Where programs of the same user can reach the owner of a data folder. */
export type ServiceAddress = z.output<typeof serviceSchema>;

function pathOf(dataDirectory: string): string {
  return join(dataDirectory, "service.json");
}

/** One name is enough, because only the owner writes; what a killed one left is found and removed. */
function draftOf(dataDirectory: string): string {
  return `${pathOf(dataDirectory)}.new`;
}

/**
 * Writes the address, readable only by this user; readers see the old or the new one, never half of it. Only the owner of the
 * data folder may call it.
 */
export function writeServiceFile(dataDirectory: string, address: ServiceAddress): void {
  const draft = draftOf(dataDirectory);
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(address, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, pathOf(dataDirectory));
}

/** The address, or null when it is missing or incomplete. */
export function readServiceFile(dataDirectory: string): ServiceAddress | null {
  try {
    const parsed = serviceSchema.safeParse(JSON.parse(readFileSync(pathOf(dataDirectory), "utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Removes the address and what an unfinished write left. Only the owner of the data folder may call it. */
export function removeServiceFile(dataDirectory: string): void {
  rmSync(pathOf(dataDirectory), { force: true });
  rmSync(draftOf(dataDirectory), { force: true });
}
