/** Encrypts credentials at rest. */
export interface SecretBox {
  /** A sealed text that only this service can read, with the id of the key in it. */
  seal(text: string): Promise<string>;
  /** @throws UnreadableSecret if the key is gone, with what to do; AppError `corrupt` if the key file is damaged */
  open(sealed: string): Promise<string>;
  /** False for what was sealed with an older key and should be resealed. */
  isCurrent(sealed: string): Promise<boolean>;
  /** False before anything was sealed, if no key was set. @throws as `open` */
  hasKey(): Promise<boolean>;
}

/** A sealed text by which services that share a record verify that they have the same key. */
export interface KeyProofStore {
  read(): Promise<string | null>;
  /** @returns false, having changed nothing, if the proof is no longer the former one */
  replace(former: string | null, proof: string): Promise<boolean>;
}
