import type { ExtractedContent } from "../core/documents/content-ports.js";
import { AppError } from "../core/errors.js";
import type { LanguageSource } from "../core/ports.js";
import { LanguagesMissing } from "./extraction-error.js";
import type { LanguageData } from "./languages.js";

/**
 * Reads a file, and reads it again if the data of a language had to be downloaded first. If that is impossible, it is read as far
 * as possible without them.
 * @param read throws LanguagesMissing where data can be downloaded, otherwise AppError
 * @throws AppError `unavailable` where nothing of the file can be read until the data have been downloaded
 */
export async function readWithLanguages(
  source: LanguageSource,
  read: (data: LanguageData) => Promise<ExtractedContent>,
  signal: AbortSignal,
): Promise<ExtractedContent> {
  const { folder } = source;
  try {
    return await read({ folder, obstacle: source.obstacle });
  } catch (error) {
    if (!(error instanceof LanguagesMissing)) throw error;
    const failure = await tryToFetch(source, error.languages, signal);
    // Data still missing after a successful download have been deleted by someone.
    const obstacle = failure?.message ?? null;
    return read({ folder, obstacle }).catch((again: unknown) => {
      throw failure !== null && isRefusal(again) && failure.kind === "unavailable" ? later(again, failure) : again;
    });
  }
}

async function tryToFetch(
  source: LanguageSource,
  languages: readonly string[],
  signal: AbortSignal,
): Promise<AppError | null> {
  try {
    await source.fetch(languages, signal);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error;
  }
}

function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === "unsupported";
}

function later(error: AppError, cause: AppError): AppError {
  return new AppError("unavailable", error.message, { cause });
}
