/** The buckets of a profile that somebody who was shown their definitions chose for a fact. */
export interface BucketVerdict {
  readonly keys: readonly string[];
  /** Marks of the definitions that it was chosen from (`definitionMark`); of others it says nothing. */
  readonly judged: readonly string[];
}

/** A named part of a profile: `key` is 1 to 64 of `a-z0-9_-`, `description` says what belongs into it. */
export interface ProfileBucket {
  readonly key: string;
  readonly description: string;
}
