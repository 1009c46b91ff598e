/** How the owner showed who they are. */
export const SIGN_IN_WAYS = ["link", "key", "password"] as const;
export type SignInWay = (typeof SIGN_IN_WAYS)[number];

/** The owner in one browser. Its token is kept as a hash only. */
export interface SignIn {
  readonly id: string;
  readonly organizationId: string;
  readonly how: SignInWay;
  /** What the browser says of itself, shortened. */
  readonly client: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}
