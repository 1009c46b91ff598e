import type { Grant, Permission } from "./key-types.js";

/** What a program says about itself when it asks for a key; unverified. */
export interface Asker {
  readonly client: string | null;
  readonly hostname: string | null;
  readonly os: string | null;
  readonly cwd: string | null;
}

/** What the owner allows a program to do. */
export interface ApprovedUse {
  /** The only containers; null for all. */
  readonly grants: readonly Grant[] | null;
  readonly permission: Permission;
  /** Null for never. */
  readonly expiresInDays: number | null;
}

export const DEVICE_STATES = ["pending", "approved", "declined"] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

/** A program on a machine without a browser that is waiting for the owner's answer. */
export interface DeviceRequest {
  readonly organizationId: string;
  readonly asker: Asker;
  readonly state: DeviceState;
  /** Null until it is approved. */
  readonly approved: ApprovedUse | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly polledAt: string | null;
}
