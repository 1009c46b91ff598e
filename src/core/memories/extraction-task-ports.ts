import type { Place } from "../../language/find-quote.js";

/** A part of a document that an agent may read, or has read. */
export interface ExtractionTask {
  /** Renewed whenever the task is handed out, so that only its current holder can answer. */
  readonly id: string;
  readonly containerTag: string;
  readonly documentId: string;
  /** The revision whose text is read; a newer revision ends the task. */
  readonly revision: number;
  /** Which part of how many, counted from 1. */
  readonly part: number;
  readonly parts: number;
  /** Where the part is in the text. */
  readonly window: Place;
  /** Ids of the memories shown with it, in the order of their handles; null until it is handed out. */
  readonly handles: readonly string[] | null;
  /** When it was answered. */
  readonly doneAt: string | null;
}

/** A document whose newest revision no language model and no agent has read yet. */
export interface UnreadDocument {
  readonly id: string;
  /** The newest revision that a language model, or an agent in this container, has read; null for none. */
  readonly readRevision: number | null;
}

/** Which tasks to hand out, to whom, and for how long. */
export interface Reservation {
  readonly limit: number;
  /** Characters of all parts together; one task is always handed out, even if it alone exceeds this. */
  readonly maxCharacters: number;
  /** Milliseconds. */
  readonly forMs: number;
  readonly by: string;
}

/** Documents that an agent may read, in parts. Only documents now in the container are considered, at their newest revision. */
export interface ExtractionTaskStore {
  /** Documents of a container whose newest revision was never cut into tasks, oldest first. */
  unread(organizationId: string, containerId: number, limit: number): Promise<UnreadDocument[]>;
  /**
   * Cuts a document into tasks; does nothing if that was already done. Without windows there is nothing to read in it. Open
   * tasks of earlier revisions are deleted.
   */
  open(
    organizationId: string,
    document: { readonly id: string; readonly revision: number; readonly containerId: number },
    windows: readonly Place[],
  ): Promise<void>;
  /** The number of unreserved tasks, up to `limit`. */
  countFree(organizationId: string, containerId: number, limit: number): Promise<number>;
  /** The number of unanswered tasks plus documents not yet cut into tasks, up to `limit`. */
  countOpen(organizationId: string, containerId: number, limit: number): Promise<number>;
  /** Hands out free tasks, oldest first, under new ids. @returns these ids */
  reserve(organizationId: string, containerId: number, reservation: Reservation): Promise<string[]>;
  byId(organizationId: string, id: string): Promise<ExtractionTask | null>;
  /** Records which memories are shown with a task. */
  setHandles(organizationId: string, id: string, memoryIds: readonly string[]): Promise<void>;
  finish(organizationId: string, id: string): Promise<void>;
}
