import type { Connector, Resource } from "../../src/core/ports.js";

/** What goes wrong with one request of a run. */
export type RequestFault =
  | { readonly kind: "status"; readonly status: 401 | 429 | 500 | 503; readonly retryAfter?: number }
  | { readonly kind: "cut" };

/** Something at a source, as it should be a document. */
export interface FollowedEntry {
  id: string;
  name: string;
  /** Sentences that the document has, and no others. */
  texts: string[];
  isThere: boolean;
}

/** The source of a provider, as the suite of histories changes, breaks and asks it. What it does not have, it cannot do. */
export interface FollowedSource {
  readonly connector: Connector;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** What is chosen of it, where something has to be. */
  readonly resources?: readonly Resource[];
  /** What is there from the start, and stays as it is. */
  readonly lasting?: FollowedEntry;
  /** @returns its id */
  put(name: string, text: string): Promise<string>;
  /** @returns its id, which may be another one then */
  edit(entry: FollowedEntry, text: string): Promise<string>;
  rename?(entry: FollowedEntry, name: string): Promise<string>;
  remove(entry: FollowedEntry): Promise<void>;
  /** Brings back what was removed, with the same id. @returns false where it was removed for ever */
  restore?(entry: FollowedEntry): Promise<boolean>;
  /** What can happen there besides; changes `entries` as the documents should change. */
  readonly events?: readonly ((pick: number, entries: readonly FollowedEntry[]) => Promise<void> | void)[];
  /** Those that are in the account, and not there for the connection now. */
  hidden?(): ReadonlySet<string>;
  /** Title of the document. */
  titleOf(entry: FollowedEntry): string;
  /** Refuses with 403 to have one read, until it is healed. */
  forbid?(entry: FollowedEntry): void;
  /** Has a request fail after so many that do not. */
  fail?(fault: RequestFault, after: number): void;
  /** The source no longer knows where the connection stands. */
  expire?(): void;
  heal(): void | Promise<void>;
  requests(): number;
  /** Requests that a run needs at least by the protocol to know that none of so many entries has changed. */
  least(count: number): number;
  close(): Promise<void>;
}

/** A provider, to be followed through histories. */
export interface FollowedProvider {
  readonly provider: string;
  /** What of it is followed, where there are several. */
  readonly what?: string;
  /** Why it cannot be tried on this machine. */
  readonly missing?: string;
  /** What a new entry is called. */
  nameOf(count: number): string;
  /**
   * Where entries are read while their changes are listed, and not by themselves: how many of them stand in one page, which is
   * read again when a run ends in it.
   */
  readonly readAhead?: number;
  /** True where an edit adds to what is there. */
  readonly isAppended?: boolean;
  start(): Promise<FollowedSource>;
}
