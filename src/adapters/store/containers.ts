import { type Kysely, sql } from "kysely";
import type { Clock, ContainerRow, ContainerStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { createId } from "../../lib/ids.js";
import { listParameter } from "./json.js";
import { purgeContainer } from "./purge.js";
import type { Database } from "./schema.js";

export function createContainerStore(db: Kysely<Database>, clock: Clock): ContainerStore {
  async function find(organizationId: string, tags: "all" | readonly string[]): Promise<ContainerRow[]> {
    let query = db
      .selectFrom("containers")
      .select(["id", "tag"])
      .where("organization_id", "=", organizationId)
      .where("deleted_at", "is", null);
    if (tags !== "all") query = query.where(sql<boolean>`tag in (select value from json_each(${listParameter(tags)}))`);
    return query.orderBy("id").execute();
  }

  return {
    find,
    async ofDocument(organizationId, documentId) {
      return db
        .selectFrom("document_containers")
        .innerJoin("containers", "containers.id", "document_containers.container_id")
        .select(["containers.id", "containers.tag"])
        .where("containers.organization_id", "=", organizationId)
        .where("document_containers.document_id", "=", documentId)
        .orderBy("document_containers.position")
        .execute();
    },
    async purge(organizationId, tag) {
      const [container] = await find(organizationId, [tag]);
      if (container) await purgeContainer(db, organizationId, container);
    },
    async ensure(organizationId, tags) {
      if (tags.length === 0) return [];
      const known = await find(organizationId, tags);
      const missing = [...new Set(tags)].filter((tag) => known.every((row) => row.tag !== tag));
      const now = iso(clock.now());
      for (const tag of missing)
        await db
          .insertInto("containers")
          .values({ organization_id: organizationId, tag, uid: createId(), created_at: now, updated_at: now })
          // A deleted one comes back as a new one.
          .onConflict((conflict) =>
            conflict.columns(["organization_id", "tag"]).doUpdateSet({
              created_at: now,
              updated_at: now,
              deleted_at: null,
            }),
          )
          .execute();
      const rows = new Map((await find(organizationId, tags)).map((row) => [row.tag, row]));
      return [...new Set(tags)].flatMap((tag) => rows.get(tag) ?? []);
    },
  };
}
