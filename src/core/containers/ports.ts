import type { Container, ContainerSummary, Merge } from "../types.js";

export interface ContainerRow {
  readonly id: number;
  readonly tag: string;
  /** Null for the server's time zone. */
  readonly timeZone: string | null;
}

/** What an update of a container may change; absent keys stay as they are. */
export interface ContainerChange {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly entityContext?: string | null;
  /** Set together with `entityContext` only. */
  readonly entityContextBy?: Container["entityContextBy"];
  readonly memoryFilesystemPaths?: readonly string[] | null;
  readonly profileBuckets?: Container["profileBuckets"];
  readonly visibility?: Container["visibility"];
  readonly isExperimental?: boolean;
  readonly emoji?: string | null;
  readonly timeZone?: string | null;
}

export interface ContainerStore {
  get(organizationId: string, tag: string): Promise<Container | null>;
  /** Creates the container if there is none. */
  update(organizationId: string, tag: string, change: ContainerChange): Promise<Container>;
  /** Guidance for extraction written by the owner, each text once with the number of containers that have it. */
  guidance(organizationId: string): Promise<{ readonly text: string; readonly containers: number }[]>;
  /** The existing ones among these tags, or all; in no order. */
  list(organizationId: string, tags: "all" | readonly string[]): Promise<ContainerSummary[]>;
  /**
   * Marks a container as deleted, which frees its tag: creating the tag again gives an empty one. Its contents can no longer be
   * reached by tag.
   */
  remove(organizationId: string, tag: string): Promise<void>;
  /** Ids of documents in a container, including deleted ones. */
  documentsIn(organizationId: string, containerId: number, limit: number): Promise<string[]>;
  /** Every container, including deleted ones, with the tag it has or had. */
  findEvery(organizationId: string): Promise<(ContainerRow & { readonly isDeleted: boolean })[]>;
  /** Number of documents that are in this container and in no other. */
  countOwnDocuments(organizationId: string, containerId: number): Promise<number>;
  /** Moves a document with all its chunks to exactly these containers, in this order. */
  relocate(organizationId: string, documentId: string, containerIds: readonly number[]): Promise<void>;
  /** Containers of a document, in the order of its tags. */
  ofDocument(organizationId: string, documentId: string): Promise<ContainerRow[]>;
  ensure(organizationId: string, tags: readonly string[]): Promise<ContainerRow[]>;
  /** Removes everything in a container without a trace. */
  purge(organizationId: string, tag: string): Promise<void>;
  /** Existing containers among these tags, or all of them. */
  find(organizationId: string, tags: "all" | readonly string[]): Promise<ContainerRow[]>;
}

export interface MergeChange {
  readonly status?: Merge["status"];
  readonly progress?: Merge["progress"];
  readonly lastError?: string | null;
}

/** Containers that are, or were, merged into another. */
export interface MergeStore {
  insert(organizationId: string, merge: Pick<Merge, "id" | "sourceTags" | "targetTag">): Promise<Merge>;
  byId(organizationId: string, id: string): Promise<Merge | null>;
  /** The ones that are neither completed nor failed, oldest first. */
  open(organizationId: string): Promise<Merge[]>;
  update(organizationId: string, id: string, change: MergeChange): Promise<void>;
}
