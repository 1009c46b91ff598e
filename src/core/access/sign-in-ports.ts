import type { SignIn } from "../types.js";

/** The owner's browsers, sign-in links, and the password. */
export interface SignInStore {
  insert(signIn: SignIn, hash: string): Promise<void>;
  byHash(hash: string): Promise<SignIn | null>;
  /** Most recently used first. */
  list(organizationId: string): Promise<SignIn[]>;
  /** Records a use, which extends the sign-in. */
  prolong(id: string, usedAt: Date, expiresAt: Date): Promise<void>;
  /** @returns false when there is no such sign-in */
  end(organizationId: string, id: string): Promise<boolean>;
  /** @returns how many there were */
  endAll(organizationId: string): Promise<number>;
  insertCode(organizationId: string, hash: string, expiresAt: Date): Promise<void>;
  /**
   * Consumes a code.
   * @returns false when there is no such code, or it has expired
   */
  takeCode(organizationId: string, hash: string, now: Date): Promise<boolean>;
  /**
   * Records that the owner answered a request, so that it cannot be answered twice.
   * @returns false when it was already answered
   */
  noteAnswer(organizationId: string, hash: string, expiresAt: Date): Promise<boolean>;
  /** The hash from `hashPassword`; null when no password is set. */
  password(organizationId: string): Promise<string | null>;
  /** Null removes the password. */
  setPassword(organizationId: string, hash: string | null): Promise<void>;
  /**
   * Removes expired sign-ins, codes and answered requests.
   * @returns how many
   */
  dropOver(now: Date): Promise<number>;
}
