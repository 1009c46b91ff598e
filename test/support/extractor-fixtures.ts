import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A committed file made by another program. */
export function extractorFixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dirname, "..", "fixtures", "extractors", name)));
}
