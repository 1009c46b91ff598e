/** A sentence of a summary with the memories it is based on. */
export interface SummaryLine {
  readonly text: string;
  readonly memoryIds: readonly string[];
}

/** A language model's summary of the older memories in one bucket of a container's profile. */
export interface ProfileSummary {
  /** Identifies the definition of the bucket by which the memories were chosen. */
  readonly bucket: string;
  /** Empty when nothing the model said was usable. */
  readonly lines: readonly SummaryLine[];
  /** Ids of every memory shown to the model: the summary is valid as long as all of them are. */
  readonly covers: readonly string[];
  /** Name and version of the prompt, e.g. `summarise-profile/1`. */
  readonly prompt: string;
}

/** Summaries of profiles, one per bucket of a container. */
export interface SummaryStore {
  /**
   * The summaries of a container that are valid now, to the millisecond: every memory they cover is still active in it, stated,
   * and unexpired.
   */
  holding(organizationId: string, containerTag: string): Promise<ProfileSummary[]>;
  /** Replaces the stored summary of the same bucket. */
  save(organizationId: string, containerTag: string, summary: ProfileSummary): Promise<void>;
  /** Tags of containers whose memories have changed since a journal entry, and the newest entry examined. */
  changedSince(
    organizationId: string,
    journalSeq: number,
  ): Promise<{ readonly tags: readonly string[]; readonly journalSeq: number }>;
}
