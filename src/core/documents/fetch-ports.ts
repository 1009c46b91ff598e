import type { SourceFile } from "./content-ports.js";

/** The content of an address, read completely. */
export interface FetchedFile extends SourceFile {
  /** The address that answered, after all redirects. */
  readonly url: string;
  /** The server's last-modified time, ISO; null if not given. */
  readonly modifiedAt: string | null;
  /** What a known site says about the file, which takes precedence over what the file itself says. */
  readonly told?: ToldOfFile;
}

/** What a site such as YouTube says about a file that is read instead of its page. */
export interface ToldOfFile {
  /** The document's type (contract 1.14), if different from that of the file. */
  readonly type?: string;
  readonly title?: string | null;
  readonly author?: string | null;
  /** ISO date or date-time. */
  readonly date?: string | null;
  /** What a person should know about how it was fetched. Sentences. */
  readonly notes?: readonly string[];
}

/** Fetches what a caller names. The service's only way to reach addresses that callers choose. */
export interface FileFetcher {
  /**
   * Fetches one http or https address, following redirects. Sends neither cookies nor credentials. For known sites, fetches the
   * subject of the page, such as a video's captions.
   * @throws AppError `unavailable` for what may be temporary (no answer in time, an overloaded server), otherwise `invalid`,
   * `forbidden`, `not_found`, `too_large` or `unsupported`, with a sentence for whoever named the address; the reason of the
   * signal
   */
  fetch(url: string, signal: AbortSignal): Promise<FetchedFile>;
}
