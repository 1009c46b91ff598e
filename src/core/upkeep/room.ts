import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";

/** Work of a start that may wait for the next one: a full disk keeps nobody from reading. */
export async function whereThereIsRoom({ log }: Pick<CoreContext, "log">, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "storage_full") throw error;
    log.error("what could not be written waits for the next start", { reason: error.message });
  }
}
