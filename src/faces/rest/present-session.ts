import type { Session } from "../../core/index.js";
import type { SessionAnswer } from "./session.js";

/** The holder of a key as clients show it: the only user of an unlimited plan (contract.md §11.1). */
export function presentSession({ organizationId, keyName, containers }: Session): SessionAnswer {
  const isFull = containers === "all";
  return {
    user: { id: keyName, name: keyName },
    org: { id: organizationId, name: "Recollect", slug: organizationId },
    plan: "enterprise",
    role: isFull ? "owner" : "member",
    accessType: isFull ? "full" : "restricted",
    containerTags: isFull ? null : containers.map((containerTag) => ({ containerTag, permission: "write" })),
    scope: isFull ? { type: "full" } : { type: "scoped", permission: "write", tags: [...containers] },
  };
}
