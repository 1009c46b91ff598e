/**
 * The core types of Recollect. Dates are ISO 8601 strings in UTC with milliseconds and `Z`, because clients sort and compare
 * them as text. Ids are 22 characters of base58.
 */

export * from "./documents/types.js";
export * from "./memories/types.js";
export * from "./profile/types.js";
export * from "./containers/types.js";
export * from "./connections/types.js";
export * from "./usage/types.js";
export * from "./search/unit.js";
export * from "./search/filter-expression.js";
export * from "./embeddings/vector-space.js";
export * from "./metadata.js";
export * from "./access/actor-types.js";
export * from "./journal/audit-types.js";
export * from "./journal/types.js";
export * from "./memories/fact-candidate.js";
export * from "./access/key-types.js";
export * from "./access/permissions.js";
export * from "./access/oauth-types.js";
export * from "./access/device-types.js";
export * from "./access/sign-in-types.js";

/** The one person of a server, as clients show people. The address belongs to nobody: the name cannot be resolved. */
export const OWNER = { id: "owner", name: "Owner", email: "owner@localhost" } as const;
