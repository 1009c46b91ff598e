import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";

/** Runs start-up work that may wait for the next start: a full disk must not prevent reading. */
export async function whereThereIsRoom({ log }: Pick<CoreContext, "log">, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "storage_full") throw error;
    log.error("what could not be written waits for the next start", { reason: error.message });
  }
}
