/** Why a file could not be read. */
export type ExtractionReason =
  "damaged" | "encrypted" | "empty" | "too_large" | "unsupported" | "missing_program" | "missing_languages";

/** A file that cannot be read; the message is addressed to the sender and says what to do. */
export class ExtractionError extends Error {
  override readonly name = "ExtractionError";
  readonly reason: ExtractionReason;

  constructor(reason: ExtractionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Text in pictures that can be read once the data of these languages have been downloaded. */
export class LanguagesMissing extends ExtractionError {
  readonly languages: readonly string[];

  constructor(languages: readonly string[], message: string) {
    super("missing_languages", message);
    this.languages = languages;
  }
}
