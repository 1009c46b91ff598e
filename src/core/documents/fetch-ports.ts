import type { SourceFile } from "./content-ports.js";

/** What an address leads to, read to its end. */
export interface FetchedFile extends SourceFile {
  /** The address that answered, after all redirects. */
  readonly url: string;
  /** When the server says that it was changed last, ISO; null where it does not say. */
  readonly modifiedAt: string | null;
}

/** Fetches what a caller names. The only way out of the service to addresses that callers choose. */
export interface FileFetcher {
  /**
   * Fetches one http or https address, redirects included. Sends neither cookies nor credentials.
   * @throws AppError `unavailable` for what may pass (no answer in time, an overloaded server), else `invalid`, `forbidden`,
   *   `not_found`, `too_large` or `unsupported`, with a sentence for whoever named the address; the reason of the signal
   */
  fetch(url: string, signal: AbortSignal): Promise<FetchedFile>;
}
