import * as z from "zod";
import { ORGANIZATION_NAME, type Session } from "../../../core/index.js";
import { isReader, OWNER, permissionOn } from "../../../core/types.js";
import { dateTime } from "../schemas.js";

const permission = z.enum(["read", "write"]);

/** `GET /v3/session` (contract 6.5): what does not apply is absent, never null, for clients that validate. */
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
    rateLimit: z.number().optional().describe("Requests per window, if the key has its own rate limit."),
    expires: dateTime.optional().describe("When the key expires, if it does."),
  }),
  client: z.string().optional().describe("The client that the key was made for, or that the request names."),
});
type SessionAnswer = z.infer<typeof sessionAnswer>;

/** The caller as clients show it: the only user of an unlimited plan. */
export function presentSession(session: Session): SessionAnswer {
  const { organizationId, containers, readOnly, client } = session;
  const isFull = containers === "all" && readOnly !== "all";
  return {
    user: { ...OWNER },
    org: { id: organizationId, name: ORGANIZATION_NAME, slug: organizationId },
    plan: "enterprise",
    role: isFull ? "owner" : "member",
    accessType: isFull ? "full" : "restricted",
    ...(containers !== "all" && { containerTags: grantsOf(containers, readOnly) }),
    scope: { ...scopeOf(session, isFull), ...limitsOf(session) },
    ...(client !== null && { client }),
  };
}

function grantsOf(containers: readonly string[], readOnly: Session["readOnly"]): SessionAnswer["containerTags"] {
  return containers.map((containerTag) => ({
    containerTag,
    permission: permissionOn({ readOnly }, containerTag),
  }));
}

function scopeOf({ containers, readOnly }: Session, isFull: boolean): SessionAnswer["scope"] {
  if (isFull) return { type: "full" };
  if (containers === "all") return { type: "scoped", permission: "read" };
  const [only] = containers;
  return {
    type: "scoped",
    permission: isReader({ containers, readOnly }) ? "read" : "write",
    ...(containers.length === 1 && only !== undefined && { tag: only }),
    tags: [...containers],
  };
}

function limitsOf({ rate, expiresAt }: Session): Pick<SessionAnswer["scope"], "rateLimit" | "expires"> {
  return { ...(rate && { rateLimit: rate.requests }), ...(expiresAt !== null && { expires: expiresAt }) };
}
