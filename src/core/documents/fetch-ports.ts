import type { SourceFile } from "./content-ports.js";

/** What an address leads to, read to its end. */
export interface FetchedFile extends SourceFile {
  /** The address that answered, after all redirects. */
  readonly url: string;
  /** When the server says that it was changed last, ISO; null where it does not say. */
  readonly modifiedAt: string | null;
  /** What a known place says of the file, which counts before what the file says of itself. */
  readonly told?: ToldOfFile;
}

/** What a place such as YouTube says of a file that is read in place of its page. */
export interface ToldOfFile {
  /** The document's type (contract 1.14), where the file alone would make it another one. */
  readonly type?: string;
  readonly title?: string | null;
  readonly author?: string | null;
  /** ISO date or date-time. */
  readonly date?: string | null;
  /** What a reader should know of how it was fetched. Sentences. */
  readonly notes?: readonly string[];
}

/** Fetches what a caller names. The only way out of the service to addresses that callers choose. */
export interface FileFetcher {
  /**
   * Fetches one http or https address, redirects included. Sends neither cookies nor credentials. Of a place that is known, it
   * fetches what the page is about, such as a video's captions.
   * @throws AppError `unavailable` for what may pass (no answer in time, an overloaded server), else `invalid`, `forbidden`,
   *   `not_found`, `too_large` or `unsupported`, with a sentence for whoever named the address; the reason of the signal
   */
  fetch(url: string, signal: AbortSignal): Promise<FetchedFile>;
}
