import { type Kysely, sql } from "kysely";
import type { Unit, VectorSpace } from "../../core/types.js";
import type { Database } from "./schema.js";
import { vectorOf } from "./vector-bytes.js";

/** Up to `count` random vectors of a container, each once: one index lookup apiece, however many vectors there are. */
export async function sampleVectors(
  db: Kysely<Database>,
  { space, containerId, count }: { space: VectorSpace; containerId: number; count: number },
): Promise<readonly Float32Array[]> {
  const rows = db.selectFrom("vectors").where("space_id", "=", space.id).where("container_id", "=", containerId);
  const ends = await rows
    .select([sql<Unit | null>`min(unit)`.as("first"), sql<Unit | null>`max(unit)`.as("last")])
    .executeTakeFirst();
  const { first = null, last = null } = ends ?? {};
  if (first === null || last === null) return [];
  const found = new Map<Unit, Float32Array>();
  for (let draw = 0; draw < count; draw++) {
    const from = first + Math.floor(Math.random() * (last - first + 1));
    const row = await rows
      .select(["unit", "vector", "active"])
      .where("unit", ">=", from)
      .orderBy("unit")
      .limit(1)
      .executeTakeFirst();
    if (row?.active === 1) found.set(row.unit, vectorOf(row.vector));
  }
  return [...found.values()];
}
