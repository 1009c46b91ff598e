export const AUTHORIZE_PATH = "/oauth/authorize";
export const TOKEN_PATH = "/oauth/token";
export const REVOKE_PATH = "/oauth/revoke";
export const REGISTER_PATH = "/oauth/register";
export const KEYS_PATH = "/oauth/jwks";
/** Under `/auth`, where the owner's browser sends its session cookie. */
export const CONSENT_PATH = "/auth/consent";
/** RFC 9728. */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Paths of the vendor's own service, which apps made for it may have hard-coded (contract 7.2). */
export const ALIASES: Readonly<Record<string, string>> = {
  "/api/auth/oauth2/authorize": AUTHORIZE_PATH,
  "/api/auth/oauth2/token": TOKEN_PATH,
  "/api/auth/oauth2/revoke": REVOKE_PATH,
  "/api/auth/oauth2/register": REGISTER_PATH,
  "/api/auth/jwks": KEYS_PATH,
};
