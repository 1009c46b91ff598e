import type * as z from "zod";
import { AppError } from "../errors.js";

/** The source does not take the credentials any more: somebody has to sign in again. */
export class SignInRefused extends AppError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("unauthorized", message, options);
  }
}

/** The source no longer knows a checkpoint. No fault of the account: everything is listed once more. */
export class CheckpointExpired extends Error {
  override readonly name = "CheckpointExpired";

  constructor(message = "The source no longer knew where the last run had stopped, so everything was listed again.") {
    super(message);
  }
}

/** A checkpoint as a connector wrote it. @throws CheckpointExpired for one of another version, so that all is listed again */
export function readCheckpoint<T>(schema: z.ZodType<T>, checkpoint: unknown): T {
  const { success, data } = schema.safeParse(checkpoint);
  if (!success) throw new CheckpointExpired("The checkpoint is of another version.");
  return data;
}

/** An item is not there any more, or not open to the account any more. */
export class ItemGone extends Error {
  override readonly name = "ItemGone";
}

/** An item is not brought in, for a reason that is a sentence for people; not a failure. */
export class ItemSkipped extends Error {
  override readonly name: string = "ItemSkipped";
}

/** An item is larger than files may be now; with another limit it is looked at again. */
export class ItemTooLarge extends ItemSkipped {
  override readonly name = "ItemTooLarge";

  /** @param what what it is called at the beginning of a sentence */
  constructor(what: string, bytes: number, maximumBytes: number) {
    super(`${what} has ${bytes} bytes, more than ${maximumBytes} (RECOLLECT_MAX_FILE_BYTES).`);
  }
}
