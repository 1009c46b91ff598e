import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const serviceSchema = z.object({
  url: z.string(),
  pid: z.number(),
  version: z.string(),
  token: z.string(),
});

/** Where the owner of a data folder can be reached, for programs of the same user. */
export type ServiceAddress = z.output<typeof serviceSchema>;

function pathOf(dataDirectory: string): string {
  return join(dataDirectory, "service.json");
}

/** Writes the address for this user's eyes only; readers see the old or the new one, never half of it. */
export function writeServiceFile(dataDirectory: string, address: ServiceAddress): void {
  const draft = `${pathOf(dataDirectory)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(address, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, pathOf(dataDirectory));
}

/** The address, or null when there is none or it is not whole. */
export function readServiceFile(dataDirectory: string): ServiceAddress | null {
  try {
    const parsed = serviceSchema.safeParse(JSON.parse(readFileSync(pathOf(dataDirectory), "utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export function removeServiceFile(dataDirectory: string): void {
  rmSync(pathOf(dataDirectory), { force: true });
}
