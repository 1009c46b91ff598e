import { findOwnerAddress } from "./election.js";
import { tryLock } from "./lock.js";

/** A data folder for this process alone, or where the process that owns it answers; null where that is unknown. */
export type TakenFolder = { readonly release: () => void } | { readonly owner: string | null };

/**
 * Takes a data folder without starting a service, if nobody has it.
 * @throws AppError as `tryLock` says, `conflict` for a copy of a folder that is being served
 */
export async function takeFolder(dataDirectory: string): Promise<TakenFolder> {
  const lock = await tryLock(dataDirectory);
  try {
    const address = await findOwnerAddress(dataDirectory);
    // Somebody may have removed the lock file of an owner that answers.
    if (lock !== null && address === null) return { release: () => lock.release() };
    lock?.release();
    return { owner: address?.url ?? null };
  } catch (error) {
    lock?.release();
    throw error;
  }
}
