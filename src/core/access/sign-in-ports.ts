import type { SignIn } from "../types.js";

/** The owner's browsers, the links that let them in, and the password. */
export interface SignInStore {
  insert(signIn: SignIn, hash: string): Promise<void>;
  byHash(hash: string): Promise<SignIn | null>;
  /** Newest use first. */
  list(organizationId: string): Promise<SignIn[]>;
  /** Notes a use, which prolongs it. */
  prolong(id: string, usedAt: Date, expiresAt: Date): Promise<void>;
  /** @returns false when there is no such sign-in */
  end(organizationId: string, id: string): Promise<boolean>;
  /** @returns how many there were */
  endAll(organizationId: string): Promise<number>;
  insertCode(organizationId: string, hash: string, expiresAt: Date): Promise<void>;
  /** Uses up a code. @returns false when there is no such code, or its time is over */
  takeCode(organizationId: string, hash: string, now: Date): Promise<boolean>;
  /**
   * Notes that the owner answered a request, so that nobody answers it twice.
   * @returns false when it was answered before
   */
  noteAnswer(organizationId: string, hash: string, expiresAt: Date): Promise<boolean>;
  /** What `hashPassword` made of the password; null when none is set. */
  password(organizationId: string): Promise<string | null>;
  /** Null takes the password away. */
  setPassword(organizationId: string, hash: string | null): Promise<void>;
  /** Removes sign-ins, codes and answered requests whose time is over. @returns how many */
  dropOver(now: Date): Promise<number>;
}
