import type { ApprovedUse, DeviceRequest } from "../types.js";

/** Hashes of the two codes of a request: the one the program holds, and the one the owner types. */
export interface DeviceHashes {
  readonly device: string;
  readonly user: string;
}

/** Programs waiting for the owner's answer. Their codes are stored only as hashes. */
export interface DeviceRequestStore {
  /** @returns false when the owner's code is already in use */
  insert(request: DeviceRequest, hashes: DeviceHashes): Promise<boolean>;
  byDevice(organizationId: string, hash: string): Promise<DeviceRequest | null>;
  byUser(organizationId: string, hash: string): Promise<DeviceRequest | null>;
  /** How many wait at a moment. */
  countWaiting(organizationId: string, now: Date): Promise<number>;
  notePoll(organizationId: string, deviceHash: string, at: Date): Promise<void>;
  /**
   * Approves a pending request, or declines it with null.
   * @returns false when it was already answered, or has expired
   */
  answer(
    organizationId: string,
    userHash: string,
    answer: { readonly approved: ApprovedUse | null; readonly at: Date },
  ): Promise<boolean>;
  /** @returns false when there is no such request */
  remove(organizationId: string, deviceHash: string): Promise<boolean>;
  /**
   * Removes expired requests.
   * @returns how many
   */
  dropOver(now: Date): Promise<number>;
}
