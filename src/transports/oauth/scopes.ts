import { MEMORY_SCOPES } from "../auth.js";

export const WRITE_SCOPE = "memory:write";
/** Tolerated: the owner's identity, and staying signed in. */
export const OPENID_SCOPES = ["openid", "offline_access", "profile", "email"] as const;
export const SCOPES = [...MEMORY_SCOPES, ...OPENID_SCOPES] as const;

/** The resource that tokens are for (RFC 8707). */
export function resourceOf(issuer: string): string {
  return `${issuer}/mcp`;
}

/** True for every way in which clients write this server's address. */
export function isOurResource(resource: string, issuer: string): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, search, hash } = new URL(resource);
  return origin === issuer && search === "" && hash === "" && ["/", "/mcp", "/mcp/"].includes(pathname);
}

/** The scopes an app asks for, in this server's terms; unknown ones are left out rather than refused. */
export function knownScopes(asked: string): string[] {
  const known = [...new Set(asked.split(/\s+/))].filter((scope) => SCOPES.some((one) => one === scope));
  const namesMemory = known.some((scope) => MEMORY_SCOPES.some((one) => one === scope));
  return namesMemory ? known : [...MEMORY_SCOPES, ...known];
}
