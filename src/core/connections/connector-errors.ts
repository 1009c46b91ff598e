import type * as z from "zod";
import { AppError } from "../errors.js";

/** The source no longer accepts the credentials: somebody has to sign in again. */
export class SignInRefused extends AppError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("unauthorized", message, options);
  }
}

/** The source no longer knows a checkpoint. Not the account's fault: everything is listed again. */
export class CheckpointExpired extends Error {
  override readonly name = "CheckpointExpired";

  constructor(message = "The source no longer knew where the last run had stopped, so everything was listed again.") {
    super(message);
  }
}

/**
 * A checkpoint as a connector wrote it.
 * @throws CheckpointExpired for one of another version, so that everything is listed again
 */
export function readCheckpoint<T>(schema: z.ZodType<T>, checkpoint: unknown): T {
  const { success, data } = schema.safeParse(checkpoint);
  if (!success) throw new CheckpointExpired("The checkpoint is from another version.");
  return data;
}

/** An item no longer exists, or is no longer accessible to the account. */
export class ItemGone extends Error {
  override readonly name = "ItemGone";
}

/** An item is not imported, for a reason worded for people; not a failure. */
export class ItemSkipped extends Error {
  override readonly name: string = "ItemSkipped";
}

/** An item exceeds the current file size limit; it is checked again when the limit changes. */
export class ItemTooLarge extends ItemSkipped {
  override readonly name = "ItemTooLarge";

  /** @param what the name of the item as it begins a sentence */
  constructor(what: string, bytes: number, maximumBytes: number) {
    super(`${what} has ${bytes} bytes, more than ${maximumBytes} (RECOLLECT_MAX_FILE_BYTES).`);
  }
}
