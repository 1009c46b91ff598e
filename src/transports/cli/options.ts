import { InvalidArgumentError } from "commander";
import type { Metadata, MetadataValue } from "../../core/types.js";
import { UsageError } from "./failure.js";

/** Refuses an empty text, which a shell makes of an unset variable and which would silently mean the default. */
export function notEmpty(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

/** Collects an option that may be given repeatedly. */
export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/** A parser for whole numbers in a range, both ends included. */
export function wholeNumberOption(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isInteger(value) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
    return value;
  };
}

/** A parser for numbers in a range, both ends included. */
export function numberBetween(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !(value >= minimum && value <= maximum))
      throw new InvalidArgumentError(`It must be a number from ${minimum} to ${maximum}.`);
    return value;
  };
}

/** Parses JSON; the core validates it. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It must be JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/**
 * Metadata from any number of `key=value` (text) and JSON objects (with their types); later ones win.
 * @throws UsageError for anything else
 */
export function readMetadata(entries: readonly string[]): Metadata {
  const metadata: Record<string, MetadataValue> = Object.create(null);
  for (const entry of entries)
    Object.assign(metadata, entry.trimStart().startsWith("{") ? readObject(entry) : readPair(entry));
  return { ...metadata };
}

function readObject(entry: string): Record<string, MetadataValue> {
  try {
    return JSON.parse(entry);
  } catch (error) {
    throw new UsageError(`--metadata is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readPair(entry: string): Record<string, MetadataValue> {
  const separator = entry.indexOf("=");
  if (separator < 1) throw new UsageError(`--metadata must be key=value or a JSON object, not: ${entry}`);
  return { [entry.slice(0, separator)]: entry.slice(separator + 1) };
}
