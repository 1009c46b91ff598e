/** A sentence of a summary with the memories that it rests on. */
export interface SummaryLine {
  readonly text: string;
  readonly memoryIds: readonly string[];
}

/** What a language model made of the older memories of one bucket of a container's profile. */
export interface ProfileSummary {
  /** Stands for the definition of the bucket that the memories were chosen by. */
  readonly bucket: string;
  /** Empty when nothing that was said could be kept. */
  readonly lines: readonly SummaryLine[];
  /** Ids of every memory that the model was shown: the summary holds as long as all of them do. */
  readonly covers: readonly string[];
  /** Name and version of the prompt, e.g. `summarise-profile/1`. */
  readonly prompt: string;
}

/** Summaries of profiles, one for a bucket of a container. */
export interface SummaryStore {
  /**
   * Those of a container that hold now, to the millisecond: every memory that they cover is still active in it, stated,
   * and not over.
   */
  holding(organizationId: string, containerTag: string): Promise<ProfileSummary[]>;
  /** Takes the place of what was kept of the same bucket. */
  save(organizationId: string, containerTag: string, summary: ProfileSummary): Promise<void>;
  /**
   * Tags of containers whose memories have changed after an entry of the journal, and the newest entry that was looked at.
   */
  changedSince(
    organizationId: string,
    journalSeq: number,
  ): Promise<{ readonly tags: readonly string[]; readonly journalSeq: number }>;
}
