/** Keeps credentials unreadable at rest. */
export interface SecretBox {
  /** What only this service reads, with the id of the key in it. */
  seal(text: string): Promise<string>;
  /** @throws UnreadableSecret where the key is gone, with what to do; AppError `corrupt` where the file of keys is damaged */
  open(sealed: string): Promise<string>;
  /** False for what an older key closed, which should be sealed anew. */
  isCurrent(sealed: string): Promise<boolean>;
  /** False before anything was sealed, where no key was set. @throws as `open` */
  hasKey(): Promise<boolean>;
}

/** Something sealed, by which services that share a record see whether they have the same key. */
export interface KeyProofStore {
  read(): Promise<string | null>;
  /** @returns false, having changed nothing, where the proof is not the former one any more */
  replace(former: string | null, proof: string): Promise<boolean>;
}
