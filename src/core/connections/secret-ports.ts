/** Keeps credentials unreadable at rest. */
export interface SecretBox {
  /** What only this service reads, with the id of the key in it. */
  seal(text: string): Promise<string>;
  /** @throws UnreadableSecret where the key is gone, with what to do; AppError `corrupt` where the file of keys is damaged */
  open(sealed: string): Promise<string>;
  /** False for what an older key closed, which should be sealed anew. */
  isCurrent(sealed: string): Promise<boolean>;
}
