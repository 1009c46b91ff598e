import type { Place } from "../../language/find-quote.js";

/** A part of a document that an agent may read, or has read. */
export interface ExtractionTask {
  /** Made anew whenever the task is handed out, so that only who has it now can answer. */
  readonly id: string;
  readonly containerTag: string;
  readonly documentId: string;
  /** The revision whose text is read; a newer one ends the task. */
  readonly revision: number;
  /** Which part of how many, counted from 1. */
  readonly part: number;
  readonly parts: number;
  /** Where the part stands in the text. */
  readonly window: Place;
  /** Ids of the memories that were shown with it, in the order of their handles; null until it was handed out. */
  readonly handles: readonly string[] | null;
  /** Until when nobody else gets it. */
  readonly reservedUntil: string | null;
  readonly reservedBy: string | null;
  /** When it was answered. */
  readonly doneAt: string | null;
}

/** A document that no language model and no agent has read yet at its newest revision. */
export interface UnreadDocument {
  readonly id: string;
  /** The newest revision that a language model, or an agent in this container, has read; null for none. */
  readonly readRevision: number | null;
}

/** Which tasks are handed out, to whom, and until when. */
export interface Reservation {
  readonly limit: number;
  /** Characters of all their parts together; one task is handed out even when it alone has more. */
  readonly maxCharacters: number;
  readonly until: Date;
  readonly by: string;
}

/** Documents that an agent may read, in parts. Only what is in the container now, at its newest revision, counts. */
export interface ExtractionTaskStore {
  /** Documents of a container that were never cut into tasks at their newest revision, oldest first. */
  unread(organizationId: string, containerId: number, limit: number): Promise<UnreadDocument[]>;
  /**
   * Cuts a document into tasks; does nothing when it was already. Without windows there is nothing to read in it. Open
   * tasks of earlier revisions go.
   */
  open(
    organizationId: string,
    document: { readonly id: string; readonly revision: number; readonly containerId: number },
    windows: readonly Place[],
  ): Promise<void>;
  /** How many tasks nobody has now, up to `limit`. */
  countFree(organizationId: string, containerId: number, limit: number): Promise<number>;
  /** How many tasks nobody has answered and documents nobody has cut into tasks, together, up to `limit`. */
  countOpen(organizationId: string, containerId: number, limit: number): Promise<number>;
  /** Hands out free tasks, oldest first, under new ids. @returns these ids */
  reserve(organizationId: string, containerId: number, reservation: Reservation): Promise<string[]>;
  byId(organizationId: string, id: string): Promise<ExtractionTask | null>;
  /** Notes which memories are shown with a task. */
  setHandles(organizationId: string, id: string, memoryIds: readonly string[]): Promise<void>;
  finish(organizationId: string, id: string): Promise<void>;
}
