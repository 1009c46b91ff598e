import { type Kysely } from "kysely";
import { AppError } from "../../core/errors.js";
import type { Clock, Store } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { readSteadyRows } from "./fixed-query.js";
import { sampleVectors } from "./sample-vectors.js";
import type { Database } from "./schema.js";

type VectorSpaces = Pick<
  Store,
  "findSpace" | "ensureSpace" | "spaceCalibration" | "setSpaceCalibration" | "sampleVectors"
>;

export function createVectorSpaces(db: Kysely<Database>, clock: Clock): VectorSpaces {
  return {
    findSpace: (fingerprint) => findSpace(db, fingerprint),

    async spaceCalibration(spaceId) {
      const rows = db.selectFrom("vector_spaces").select("calibration").where("id", "=", spaceId);
      return (await rows.executeTakeFirst())?.calibration ?? null;
    },

    async setSpaceCalibration(spaceId, calibration) {
      await db.updateTable("vector_spaces").set({ calibration }).where("id", "=", spaceId).execute();
    },

    sampleVectors: (space, containerId, count) => sampleVectors(db, { space, containerId, count }),

    async ensureSpace(fingerprint, dimensions) {
      const known = await findSpace(db, fingerprint);
      if (known) return checkDimensions(known, dimensions);
      await db
        .insertInto("vector_spaces")
        .values({ fingerprint, dimensions, created_at: iso(clock.now()) })
        .onConflict((conflict) => conflict.column("fingerprint").doNothing())
        .execute();
      const created = await findSpace(db, fingerprint);
      if (!created) throw new Error(`Vector space ${fingerprint} could not be created`);
      return checkDimensions(created, dimensions);
    },
  };
}

const SPACE_OF_FINGERPRINT = "select id, fingerprint, dimensions from vector_spaces where fingerprint = ?";

async function findSpace(db: Kysely<Database>, fingerprint: string): Promise<VectorSpace | null> {
  const [space] = await readSteadyRows<VectorSpace>(db, SPACE_OF_FINGERPRINT, [fingerprint]);
  return space ?? null;
}

function checkDimensions(space: VectorSpace, dimensions: number): VectorSpace {
  if (space.dimensions === dimensions) return space;
  throw new AppError(
    "conflict",
    `The embedder ${space.fingerprint} now returns vectors of ${dimensions} numbers; the stored ones have ${space.dimensions}. Set RECOLLECT_EMBEDDING_DIMENSIONS to ${space.dimensions}, or name the new model.`,
  );
}
