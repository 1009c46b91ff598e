import * as z from "zod";
import { ORGANIZATION_NAME, type Session } from "../../core/index.js";

/** `GET /v3/session` (contract.md §11.1): optional texts are absent rather than null. */
export const sessionAnswer = z.object({
  user: z.object({ id: z.string(), name: z.string().optional() }),
  org: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
  plan: z.enum(["free", "pro", "scale", "enterprise"]),
  role: z.enum(["owner", "admin", "member"]),
  accessType: z.enum(["full", "restricted"]),
  containerTags: z.array(z.object({ containerTag: z.string(), permission: z.enum(["read", "write"]) })).nullable(),
  scope: z.object({
    type: z.enum(["full", "scoped"]),
    permission: z.enum(["read", "write"]).optional(),
    tags: z.array(z.string()).optional(),
  }),
});
type SessionAnswer = z.infer<typeof sessionAnswer>;

/** The holder of a key as clients show it: the only user of an unlimited plan (contract.md §11.1). */
export function presentSession({ organizationId, keyName, containers }: Session): SessionAnswer {
  const isFull = containers === "all";
  return {
    user: { id: keyName, name: keyName },
    org: { id: organizationId, name: ORGANIZATION_NAME, slug: organizationId },
    plan: "enterprise",
    role: isFull ? "owner" : "member",
    accessType: isFull ? "full" : "restricted",
    containerTags: isFull ? null : containers.map((containerTag) => ({ containerTag, permission: "write" })),
    scope: isFull ? { type: "full" } : { type: "scoped", permission: "write", tags: [...containers] },
  };
}
