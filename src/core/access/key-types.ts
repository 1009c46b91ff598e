/** What a key holder may do with a container. */
export const PERMISSIONS = ["read", "write"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface Grant {
  readonly containerTag: string;
  readonly permission: Permission;
}

/** A maximum number of requests per number of milliseconds. */
export interface KeyRate {
  readonly requests: number;
  readonly windowMs: number;
}

/** `organization` keys are the owner's own; the others are for one purpose each (contract 1.2). */
export const KEY_KINDS = ["organization", "scoped", "agent", "plugin"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** An API key without its secret, which is stored only as a hash. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** The last four characters of the secret, to tell keys apart. */
  readonly hint: string;
  /** Name of the client that the key is for; settings that it writes apply only to this client. */
  readonly client: string | null;
  /** Applies to all containers; a key for some of them has grants. */
  readonly permission: Permission;
  /** The only containers of the key; null for all. */
  readonly grants: readonly Grant[] | null;
  /** Null for the service's default rate. */
  readonly rate: KeyRate | null;
  /** Valid until this moment; null for never expiring. */
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** Since when it is disabled; it may be enabled again. */
  readonly disabledAt: string | null;
  /** Since when it is permanently revoked. */
  readonly revokedAt: string | null;
}
