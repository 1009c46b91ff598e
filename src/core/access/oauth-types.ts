import type { Permission } from "./key-types.js";

/** What the owner allowed an app that signed in with OAuth. Its tokens permit exactly this, and end with it. */
export interface AppGrant {
  readonly id: string;
  readonly organizationId: string;
  /** The address of this server at which the app signed in, e.g. `https://memory.example`. */
  readonly issuer: string;
  /** The app's identifier at this server: a random text, or the address of a document about it. */
  readonly clientId: string;
  /** The name that the app gives itself; unverified. */
  readonly clientName: string;
  /** The host that vouches for the app, or that it redirects to. */
  readonly clientHost: string;
  /** The only containers of the app; null for all. */
  readonly containerTags: readonly string[] | null;
  readonly permission: Permission;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** Its tokens are valid until this moment; null for never expiring. */
  readonly expiresAt: string | null;
}

/** A stored record of the OAuth protocol, e.g. `AccessToken`, `RefreshToken`, `AuthorizationCode`, `Client`. */
export interface OAuthRecord {
  readonly kind: string;
  /** Hash of the secret needed to read it; the secret itself is not stored. */
  readonly hash: string;
  /** A second name. */
  readonly uidHash: string | null;
  readonly grantId: string | null;
  /** JSON. */
  readonly payload: string;
  readonly consumedAt: string | null;
  readonly createdAt: string;
  /** Null for never. */
  readonly expiresAt: string | null;
}
