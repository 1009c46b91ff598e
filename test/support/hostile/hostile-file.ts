import { extractorFixture } from "../extractor-fixtures.js";

/** A file sent to do harm, or damaged on its way. */
export interface HostileFile {
  /** What is wrong with it. */
  readonly what: string;
  readonly name: string;
  readonly type: string;
  /** Created when it is sent, since some are large. */
  bytes(): Uint8Array;
}

/** One file, with the type given by senders who do not know it. */
export function hostile(
  what: string,
  name: string,
  bytes: () => Uint8Array | string,
  type = "application/octet-stream",
): HostileFile {
  return {
    what,
    name,
    type,
    bytes: () => {
      const made = bytes();
      return typeof made === "string" ? new TextEncoder().encode(made) : made;
    },
  };
}

/** The first part of a file made by another program. */
export function cutFixture(name: string, share: number): Uint8Array {
  const whole = extractorFixture(name);
  return whole.subarray(0, Math.floor(whole.length * share));
}
