import type { Repositories } from "../ports.js";
import { removalJob } from "./connection-jobs.js";

/**
 * Makes connections import their documents into the container that replaced others, inside a transaction; without one,
 * connections that would only bring back what was deleted are removed, and what they imported elsewhere stays.
 */
export async function followContainers(
  { connections, jobs }: Pick<Repositories, "connections" | "jobs">,
  organizationId: string,
  { from, to }: { readonly from: readonly string[]; readonly to: string | null },
): Promise<void> {
  for (const connection of await connections.list(organizationId)) {
    const { id, containerTags } = connection;
    if (!containerTags.some((tag) => from.includes(tag))) continue;
    const left = containerTags.flatMap((tag) => (from.includes(tag) ? (to ?? []) : tag));
    if (left.length === 0) {
      await connections.update(organizationId, id, { state: "removing", nextSyncAt: null });
      await jobs.enqueue([removalJob(connection, { keepsDocuments: true })]);
    } else await connections.update(organizationId, id, { containerTags: [...new Set(left)] });
  }
}
