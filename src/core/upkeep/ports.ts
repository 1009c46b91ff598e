/** What a purge removed. */
export interface PurgedRows {
  readonly documents: number;
  /** Counts every version. */
  readonly memories: number;
  /** Keys of files whose bytes have to be removed. */
  readonly files: readonly string[];
}

/** How the links of other memories to a document change when something is cut out of its text. */
export interface Requote {
  readonly memoryId: string;
  /** Where its words are now; null when they were cut, wholly or in part, or cannot be found. */
  readonly at: { readonly start: number; readonly end: number } | null;
  /** False when its words were cut, wholly or in part. */
  readonly keepsQuote: boolean;
}

/** What is removed from the earlier submissions of a document. */
export interface Rewriting {
  readonly text: (text: string) => string;
  /** Whether a ready-made fact stays. */
  readonly keepsFact: (text: string) => boolean;
}

/** Containers of the actor who purges: nothing is changed beyond them. */
export type PurgeReach = "all" | readonly string[];

export interface DocumentPurge {
  /** Only memories in these containers, and what their journal entries say about others. */
  readonly within: PurgeReach;
  /** Whether to include memories that the document once stated, before it was changed or deleted: reads the journal. */
  readonly earlier: boolean;
}

/**
 * Permanent removal from the record and its indexes. The journal keeps the fact and time of each change, without its words.
 * Inside a transaction; remaining bytes are removed by `Store.scrub`.
 */
export interface PurgeStore {
  /**
   * Removes documents, and memories that nothing else states, including superseded and forgotten ones, with guesses derived
   * from them. Remaining parts of a chain do not return to search.
   */
  documents(organizationId: string, ids: readonly string[], options: DocumentPurge): Promise<PurgedRows>;
  /**
   * Removes memories with all their versions, guesses derived from them, everything about them in documents besides their
   * newest text, and the titles of their deleted documents in the journal; and these documents. Documents that are also beyond
   * `within` stay as they are: they belong to others.
   */
  memories(
    organizationId: string,
    ids: readonly string[],
    options: { readonly documents: readonly string[]; readonly within: PurgeReach },
  ): Promise<PurgedRows>;
  /** The newest text of a document, and every earlier one that `takeText` would rewrite. */
  keptTexts(organizationId: string, documentId: string): Promise<string[]>;
  /**
   * Removes what was derived from the text of a document, before the text is changed: chunks with index entries and vectors,
   * its description, the uploads it came from. Earlier submissions are rewritten.
   * @returns the keys of its uploads
   */
  takeText(organizationId: string, documentId: string, rewriting: Rewriting): Promise<string[]>;
  /** Changes links of memories to a document, and the journal's quotes from it for them. */
  requote(organizationId: string, documentId: string, links: readonly Requote[]): Promise<void>;
  /** Removes the words about a container from the journal, the record of requests and stored answers. */
  silence(organizationId: string, containerTag: string): Promise<void>;
  /** Removes a container that is now empty, and what is left of it. */
  container(organizationId: string, containerId: number): Promise<void>;
  /** The contents of a container: documents that are in no other, memories in every version, files of those documents. */
  count(organizationId: string, containerId: number): Promise<{ documents: number; memories: number; files: number }>;
  /** Containers that the journal names for a document, even a deleted one; empty for an unknown id. */
  containersOf(organizationId: string, documentId: string): Promise<string[]>;
  /**
   * Removes up to `limit` memories of a container, including deleted containers, as `memories` does; versions that were moved
   * to other containers stay. Zero memories when none was left.
   */
  memoriesIn(
    organizationId: string,
    containerId: number,
    options: { readonly limit: number; readonly within: PurgeReach },
  ): Promise<PurgedRows>;
  /** Records that removed words are still in the files, so that `Store.scrub` has work to do. */
  mark(): Promise<void>;
  /** The newest mark, or null when there is nothing to scrub. */
  marked(): Promise<string | null>;
  /** Removes a mark, unless there is a newer one. */
  unmark(mark: string): Promise<void>;
}
