/** Tesseract language data for text in pictures, for machines that lack them. They are downloaded when first needed, and kept. */
export interface LanguageSource {
  /** Contains `<language>.traineddata` for each downloaded language. */
  readonly folder: string;
  /** Where data are downloaded from, for people. */
  readonly place: string;
  /** Why nothing can be downloaded, as a sentence; null if it can. */
  readonly obstacle: string | null;
  /**
   * Downloads the data of these languages to the folder, each complete and as published, or not at all.
   * @param languages as tesseract names them, such as `deu`
   * @throws AppError `unavailable` or `storage_full` if a retry may help, otherwise `unsupported`; the signal's reason
   */
  fetch(languages: readonly string[], signal: AbortSignal): Promise<void>;
}
