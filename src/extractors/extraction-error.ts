/** Why nothing could be read. */
export type ExtractionReason = "damaged" | "encrypted" | "empty" | "too_large" | "unsupported" | "missing_program";

/** A file that cannot be read; the message is a sentence for whoever sent it, and says what to do. */
export class ExtractionError extends Error {
  override readonly name = "ExtractionError";
  readonly reason: ExtractionReason;

  constructor(reason: ExtractionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
