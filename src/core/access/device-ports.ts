import type { ApprovedUse, DeviceRequest } from "../types.js";

/** Hashes of the two codes of a request: the one that the program keeps, and the one that the owner types. */
export interface DeviceHashes {
  readonly device: string;
  readonly user: string;
}

/** Programs that wait for the owner's answer. Their codes are kept as hashes only. */
export interface DeviceRequestStore {
  /** @returns false when the code for the owner is in use */
  insert(request: DeviceRequest, hashes: DeviceHashes): Promise<boolean>;
  byDevice(organizationId: string, hash: string): Promise<DeviceRequest | null>;
  byUser(organizationId: string, hash: string): Promise<DeviceRequest | null>;
  /** How many wait at a moment. */
  countWaiting(organizationId: string, now: Date): Promise<number>;
  notePoll(organizationId: string, deviceHash: string, at: Date): Promise<void>;
  /** Approves a pending request, or declines it with null. @returns false when it was answered before, or is over */
  answer(
    organizationId: string,
    userHash: string,
    answer: { readonly approved: ApprovedUse | null; readonly at: Date },
  ): Promise<boolean>;
  /** @returns false when there is no such request */
  remove(organizationId: string, deviceHash: string): Promise<boolean>;
  /** Removes requests whose time is over. @returns how many */
  dropOver(now: Date): Promise<number>;
}
