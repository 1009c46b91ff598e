/** How the owner authenticated. */
export const SIGN_IN_WAYS = ["link", "key", "password"] as const;
export type SignInWay = (typeof SIGN_IN_WAYS)[number];

/** The owner signed in with one browser. Its token is stored only as a hash. */
export interface SignIn {
  readonly id: string;
  readonly organizationId: string;
  readonly how: SignInWay;
  /** What the browser says about itself, shortened. */
  readonly client: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}
