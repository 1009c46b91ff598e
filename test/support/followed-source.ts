import type { Connector, Resource } from "../../src/core/ports.js";

/** A fault of one request in a run. */
export type RequestFault =
  | { readonly kind: "status"; readonly status: 401 | 429 | 500 | 503; readonly retryAfter?: number }
  | { readonly kind: "cut" };

/** An entry at a source that should be a document. */
export interface FollowedEntry {
  id: string;
  name: string;
  /** Exactly the sentences that the document should contain. */
  texts: string[];
  isThere: boolean;
}

/** The source of a provider, as the suite of histories changes, breaks and queries it. Missing methods are not supported. */
export interface FollowedSource {
  readonly connector: Connector;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** The selection, where one is required. */
  readonly resources?: readonly Resource[];
  /** Entries that exist from the start and never change. */
  readonly lasting?: FollowedEntry;
  /** @returns its id */
  put(name: string, text: string): Promise<string>;
  /** @returns its id, which may be a new one */
  edit(entry: FollowedEntry, text: string): Promise<string>;
  rename?(entry: FollowedEntry, name: string): Promise<string>;
  remove(entry: FollowedEntry): Promise<void>;
  /** Restores a removed entry with the same id. @returns false if it was removed permanently */
  restore?(entry: FollowedEntry): Promise<boolean>;
  /** Other events at the source; changes `entries` as the documents should change. */
  readonly events?: readonly ((pick: number, entries: readonly FollowedEntry[]) => Promise<void> | void)[];
  /** Entries in the account that the connection cannot currently see. */
  hidden?(): ReadonlySet<string>;
  /** Title of its document. */
  titleOf(entry: FollowedEntry): string;
  /** Refuses reads of one entry with 403 until it is healed. */
  forbid?(entry: FollowedEntry): void;
  /** Makes a request fail after a number of successful ones. */
  fail?(fault: RequestFault, after: number): void;
  /** The source no longer recognises the connection's checkpoint. */
  expire?(): void;
  heal(): void | Promise<void>;
  requests(): number;
  /** The minimum number of requests that the protocol needs to find that none of this many entries has changed. */
  least(count: number): number;
  close(): Promise<void>;
}

/** A provider whose histories are followed. */
export interface FollowedProvider {
  readonly provider: string;
  /** The variant, where there are several. */
  readonly what?: string;
  /** Why it cannot be tested on this machine. */
  readonly missing?: string;
  /** The name of a new entry. */
  nameOf(count: number): string;
  /**
   * For sources whose entries are read together with their listing: the number of entries per page, which is
   * read again when a run ends within it.
   */
  readonly readAhead?: number;
  /** True if an edit appends to the content. */
  readonly isAppended?: boolean;
  start(): Promise<FollowedSource>;
}
