import * as z from "zod";
import { ORGANIZATION_NAME, type Session } from "../../../core/index.js";
import { OWNER } from "./owner.js";

const permission = z.enum(["read", "write"]);

/** `GET /v3/session` (contract.md §11.1): what does not apply is absent, never null, for clients that check. */
export const sessionAnswer = z.object({
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }),
  org: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
  plan: z.enum(["free", "pro", "scale", "enterprise"]),
  role: z.enum(["owner", "admin", "member"]),
  accessType: z.enum(["full", "restricted"]),
  containerTags: z.array(z.object({ containerTag: z.string(), permission })).optional(),
  scope: z.object({
    type: z.enum(["full", "scoped"]),
    permission: permission.optional(),
    tag: z.string().optional().describe("The only container of the key."),
    tags: z.array(z.string()).optional(),
  }),
  client: z.string().optional().describe("The client that the key was made for, or that the request names."),
});
type SessionAnswer = z.infer<typeof sessionAnswer>;

/** Who is asking as clients show it: the only user of an unlimited plan. */
export function presentSession({ organizationId, containers, client }: Session): SessionAnswer {
  return {
    user: { ...OWNER },
    org: { id: organizationId, name: ORGANIZATION_NAME, slug: organizationId },
    plan: "enterprise",
    ...(containers === "all" ? FULL_ACCESS : presentScope(containers)),
    ...(client !== null && { client }),
  };
}

type Access = Pick<SessionAnswer, "role" | "accessType" | "containerTags" | "scope">;

const FULL_ACCESS: Access = { role: "owner", accessType: "full", scope: { type: "full" } };

function presentScope(containers: readonly string[]): Access {
  const [only] = containers;
  return {
    role: "member",
    accessType: "restricted",
    containerTags: containers.map((containerTag) => ({ containerTag, permission: "write" })),
    scope: {
      type: "scoped",
      permission: "write",
      ...(containers.length === 1 && only !== undefined && { tag: only }),
      tags: [...containers],
    },
  };
}
