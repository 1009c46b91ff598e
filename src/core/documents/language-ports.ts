/**
 * Data of the languages that text in pictures is read in, for machines whose tesseract lacks them. They are fetched when they
 * are first needed, and kept.
 */
export interface LanguageSource {
  /** Holds `<language>.traineddata` of each language that has been fetched. */
  readonly folder: string;
  /** Where data are fetched from, for people. */
  readonly place: string;
  /** Why nothing is fetched at all, a sentence; null where it is. */
  readonly obstacle: string | null;
  /**
   * Brings the data of these languages into the folder, each whole and as its publisher made it, or not at all.
   * @param languages as tesseract names them, such as `deu`
   * @throws AppError `unavailable` or `storage_full` where another try may help, else `unsupported`; the signal's reason
   */
  fetch(languages: readonly string[], signal: AbortSignal): Promise<void>;
}
