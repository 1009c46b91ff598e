/** What a purge removed. */
export interface PurgedRows {
  readonly documents: number;
  /** Every version counts. */
  readonly memories: number;
  /** Keys of files whose bytes have to go. */
  readonly files: readonly string[];
}

/** How the links of other memories to a document change when something is cut out of its text. */
export interface Requote {
  readonly memoryId: string;
  /** Where its words stand now; null when they were cut, wholly or in part, or stand nowhere. */
  readonly at: { readonly start: number; readonly end: number } | null;
  /** False when its words were cut, wholly or in part. */
  readonly keepsQuote: boolean;
}

/** What is taken from the earlier submissions of a document. */
export interface Rewriting {
  readonly text: (text: string) => string;
  /** Whether a ready-made fact stays. */
  readonly keepsFact: (text: string) => boolean;
}

/** Containers of whoever purges: nothing is changed beyond them. */
export type PurgeReach = "all" | readonly string[];

export interface DocumentPurge {
  /** Only memories in these containers, and what the journal of these says of others. */
  readonly within: PurgeReach;
  /** Whether memories count too that the document stated once, before it was changed or deleted: reads the journal. */
  readonly earlier: boolean;
}

/**
 * Removal for good, from the record and its indexes. The journal keeps that and when something happened, without its
 * words. Inside a transaction; what is left of the bytes goes with `Store.scrub`.
 */
export interface PurgeStore {
  /**
   * Removes documents, and memories that nothing else states, superseded and forgotten ones too, with guesses that were
   * derived from them. What of a chain stays does not come back into search.
   */
  documents(organizationId: string, ids: readonly string[], options: DocumentPurge): Promise<PurgedRows>;
  /**
   * Removes memories with all their versions, guesses that were derived from them, what documents tell of them besides
   * their newest text, and the titles of their deleted documents in the journal; and these documents. Documents that lie
   * beyond `within` too stay as they are: they are others'.
   */
  memories(
    organizationId: string,
    ids: readonly string[],
    options: { readonly documents: readonly string[]; readonly within: PurgeReach },
  ): Promise<PurgedRows>;
  /** The newest text of a document, and every earlier one that `takeText` would rewrite. */
  keptTexts(organizationId: string, documentId: string): Promise<string[]>;
  /**
   * Removes what was made of the text of a document, before the text is changed: chunks with index entries and vectors,
   * its description, uploads that it came from. Earlier submissions are rewritten.
   * @returns the keys of its uploads
   */
  takeText(organizationId: string, documentId: string, rewriting: Rewriting): Promise<string[]>;
  /** Changes links of memories to a document, and what the journal quotes of it for them. */
  requote(organizationId: string, documentId: string, links: readonly Requote[]): Promise<void>;
  /** Removes the words about a container from the journal, the record of requests and kept answers. */
  silence(organizationId: string, containerTag: string): Promise<void>;
  /** Removes a container that is empty by now, and what is left of it. */
  container(organizationId: string, containerId: number): Promise<void>;
  /** What lies in a container: documents that lie nowhere else, memories in every version, files of those documents. */
  count(organizationId: string, containerId: number): Promise<{ documents: number; memories: number; files: number }>;
  /** Containers that the journal names for a document, also for one that was deleted; empty for an unknown id. */
  containersOf(organizationId: string, documentId: string): Promise<string[]>;
  /**
   * Removes up to `limit` memories that lie in a container, deleted containers too, as `memories` does; versions that
   * were moved to other containers stay. Zero memories when none was left.
   */
  memoriesIn(
    organizationId: string,
    containerId: number,
    options: { readonly limit: number; readonly within: PurgeReach },
  ): Promise<PurgedRows>;
  /** Notes that removed words are still in the files; `Store.scrub` then has something to do. */
  mark(): Promise<void>;
  /** The newest mark, or null when there is nothing to scrub. */
  marked(): Promise<string | null>;
  /** Takes a mark away, unless there is a newer one. */
  unmark(mark: string): Promise<void>;
}
