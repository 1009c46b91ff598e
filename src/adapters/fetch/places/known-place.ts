import { AppError, type ErrorKind } from "../../../core/errors.js";
import type { FetchedFile } from "../../../core/ports.js";
import { parseLimitedJson } from "../../../lib/limited-json.js";

/** A site whose pages are about something that can be fetched directly, or that other addresses say more about. */
export interface KnownPlace {
  /** How to fetch what an address on the site is about; null for an address that is read as the page it is. */
  find(url: URL): FetchContent | null;
}

/**
 * Fetches what a page is about.
 * @returns null where there is only the page itself
 * @throws AppError with the reason why neither helps
 */
export type FetchContent = (ask: AskPlace) => Promise<FetchedFile | null>;

/** Fetches one address, guarded like every address from callers. @throws AppError as `FileFetcher` */
export type AskPlace = (address: string, wishes?: Wishes) => Promise<FetchedFile>;

/** Requirements of a response. */
export interface Wishes {
  /** Most bytes of the response, where that is less than for any file. */
  readonly maximumBytes?: number;
  readonly accept?: string;
}

/** Fetches what may not exist. @returns null where it does not */
export function askIfThere(ask: AskPlace, address: string, wishes?: Wishes): Promise<FetchedFile | null> {
  return askUnless(["not_found"], ask(address, wishes));
}

/** Fetches what may be withheld. @returns null where it does not exist or is not public */
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

/** A response as text, whatever charset it claims. */
export function fileText({ bytes }: FetchedFile): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** A response as JSON of bounded depth and size; null for anything else. */
export function fileJson(file: FetchedFile): unknown {
  return parseJsonOrNull(fileText(file));
}

/** @returns null for a text that is not JSON, or exceeds the bounds */
export function parseJsonOrNull(text: string): unknown {
  try {
    return parseLimitedJson(text);
  } catch {
    return null;
  }
}
