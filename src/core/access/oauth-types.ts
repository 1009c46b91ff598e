import type { Permission } from "./key-types.js";

/** What the owner let an app do that signed in with OAuth. Its tokens do so much and no more, and end with it. */
export interface AppGrant {
  readonly id: string;
  readonly organizationId: string;
  /** Under which address of this server the app signed in, e.g. `https://memory.example`. */
  readonly issuer: string;
  /** What the app calls itself towards this server: a random text, or the address of a document about it. */
  readonly clientId: string;
  /** The name that the app gives itself; not checked by anybody. */
  readonly clientName: string;
  /** The host that vouches for the app, or that it is sent back to. */
  readonly clientHost: string;
  /** The only containers of the app; null for all. */
  readonly containerTags: readonly string[] | null;
  readonly permission: Permission;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** From this moment on its tokens open nothing; null for never. */
  readonly expiresAt: string | null;
}

/** Things of the OAuth protocol that are kept, e.g. `AccessToken`, `RefreshToken`, `AuthorizationCode`, `Client`. */
export interface OAuthRecord {
  readonly kind: string;
  /** Of what whoever asks for it must know; the text itself is kept nowhere. */
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
