import { AppError, type ErrorKind } from "../../../core/errors.js";
import type { FetchedFile } from "../../../core/ports.js";
import { parseLimitedJson } from "../../../lib/limited-json.js";

/** A site whose pages are about something that can be had as it is, or that other addresses tell more of. */
export interface KnownPlace {
  /** How that is fetched which an address of the place is about; null for an address that is read as the page that it is. */
  find(url: URL): FetchContent | null;
}

/**
 * Fetches what a page is about.
 * @returns null where the page itself is all that there is
 * @throws AppError with the reason for which neither helps
 */
export type FetchContent = (ask: AskPlace) => Promise<FetchedFile | null>;

/** Fetches one address with the guard of all that callers name. @throws AppError as `FileFetcher` */
export type AskPlace = (address: string, wishes?: Wishes) => Promise<FetchedFile>;

/** What is wanted of an answer. */
export interface Wishes {
  /** Most bytes of the answer, where that is less than of any file. */
  readonly maximumBytes?: number;
  readonly accept?: string;
}

/** Asks for what need not be there. @returns null where it is not */
export function askIfThere(ask: AskPlace, address: string, wishes?: Wishes): Promise<FetchedFile | null> {
  return askUnless(["not_found"], ask(address, wishes));
}

/** Asks for what may be withheld. @returns null where it is not there, or not for everybody */
export function askIfOpen(ask: AskPlace, address: string, wishes?: Wishes): Promise<FetchedFile | null> {
  return askUnless(["not_found", "forbidden", "invalid"], ask(address, wishes));
}

async function askUnless(kinds: readonly ErrorKind[], asking: Promise<FetchedFile>): Promise<FetchedFile | null> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof AppError && kinds.includes(error.kind)) return null;
    throw error;
  }
}

/** An answer as text, whatever it says that its characters are. */
export function textOf({ bytes }: FetchedFile): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** An answer as JSON of bounded depth and size; null for what is none. */
export function jsonOf(file: FetchedFile): unknown {
  return parsed(textOf(file));
}

/** @returns null for what is no JSON, or more of it than is read */
export function parsed(text: string): unknown {
  try {
    return parseLimitedJson(text);
  } catch {
    return null;
  }
}
