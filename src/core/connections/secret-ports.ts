/** Keeps credentials unreadable at rest. */
export interface SecretBox {
  /** What only this service reads, with the id of the key in it. */
  seal(text: string): Promise<string>;
  /** @throws AppError `unavailable` where the key is gone, with what to do */
  open(sealed: string): Promise<string>;
  /** False for what an older key closed, which should be sealed anew. */
  isCurrent(sealed: string): Promise<boolean>;
}
