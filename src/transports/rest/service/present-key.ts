import * as z from "zod";
import type { ListedKey } from "../../../core/index.js";
import type { ApiKey } from "../../../core/types.js";
import { dateTime } from "../schemas.js";

const permission = z.enum(["read", "write"]);
const nullableTime = dateTime.nullable();

/** A key in `GET /v3/auth/keys` (contract 6.6), without its text. */
export const keyAnswer = z.object({
  id: z.string(),
  name: z.string(),
  key: z.string().describe("The beginning and the last characters of the key."),
  permission,
  containerTag: z.string().nullable().describe("The only container of the key."),
  containerTags: z.array(z.string()).nullable().describe("The containers of the key; null for all."),
  createdAt: dateTime,
  lastRequest: nullableTime,
  expiresAt: nullableTime,
  metadata: z.string().nullable().describe("JSON string with `sm_type` and `sm_client`."),
  enabled: z.boolean(),
});

export function presentKey(key: ListedKey): z.infer<typeof keyAnswer> {
  const type = typeOf(key);
  const metadata = { ...(type !== null && { sm_type: type }), ...(key.client !== null && { sm_client: key.client }) };
  return {
    id: key.id,
    name: key.name,
    key: `sm_${key.organizationId}_…${key.hint}`,
    permission: permissionOf(key),
    ...keyTagsOf(key),
    createdAt: key.createdAt,
    lastRequest: key.lastUsedAt,
    expiresAt: key.expiresAt,
    metadata: Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null,
    enabled: key.isOpen,
  };
}

/** How first-party clients mark what a key was made for (contract 7.3); their lists leave out keys marked so. */
function typeOf({ kind, client }: ApiKey): string | null {
  if (kind === "plugin") return "plugin_auth";
  return kind === "agent" && client !== null ? "agent_cli" : null;
}

/** The most that a key may do. */
export function permissionOf({ permission: stated, grants }: ApiKey): z.infer<typeof permission> {
  if (stated === "read") return "read";
  return grants !== null && grants.every((grant) => grant.permission === "read") ? "read" : "write";
}

/** A key's containers as clients read them: a single one separately, and null for all. */
export function keyTagsOf({ grants }: ApiKey): { containerTag: string | null; containerTags: string[] | null } {
  const containerTags = grants?.map((grant) => grant.containerTag) ?? null;
  return { containerTag: containerTags?.length === 1 ? (containerTags[0] ?? null) : null, containerTags };
}
