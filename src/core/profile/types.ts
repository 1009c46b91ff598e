/** The profile buckets chosen for a fact by an author who was shown their definitions. */
export interface BucketVerdict {
  readonly keys: readonly string[];
  /** Marks of the definitions that it was chosen from (`definitionMark`); it says nothing about others. */
  readonly judged: readonly string[];
}

/** A named part of a profile: `key` is 1 to 64 of `a-z0-9_-`, `description` says what belongs in it. */
export interface ProfileBucket {
  readonly key: string;
  readonly description: string;
}
