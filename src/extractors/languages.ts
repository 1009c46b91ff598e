/** The only language whose data come with the service; it needs no installed program. */
export const BUILTIN_LANGUAGE = "eng";

/** Where the built-in recogniser finds the data of other languages. */
export interface LanguageData {
  /** Contains `<language>.traineddata` for each downloaded language. */
  readonly folder: string;
  /** Why missing data cannot be downloaded, as a sentence; null before an attempt. */
  readonly obstacle: string | null;
}

/** Name of a language's data file. */
export function dataFileOf(language: string): string {
  return `${language}.traineddata`;
}

/** Explains that tesseract lacks the data of these languages, and how to install them. */
export function missingLanguages(missing: readonly string[]): string {
  return (
    `The program tesseract has no data for the language \`${missing.join("+")}\`. Install it ` +
    `(${howToInstallData(missing)}), or change RECOLLECT_READ_LANGUAGES, and retry.`
  );
}

/** Explains that tesseract is missing although text in languages other than English is to be read. */
export function missingForLanguages(languages: string, howToInstall: string): string {
  const data = howToInstallData(languages.split("+"));
  return (
    `Reading text in pictures in \`${languages}\` needs the program tesseract, as only the data for English comes with ` +
    `the service. Install it (${howToInstall}) and the data for the languages (${data}), or unset RECOLLECT_READ_LANGUAGES, and retry.`
  );
}

/** Explains that neither tesseract nor the built-in recogniser has the data of these languages. */
export function unfetchedLanguages(missing: readonly string[], { obstacle }: LanguageData): string {
  return `The data for the language \`${missing.join("+")}\` is missing${obstacle === null ? "" : `: ${obstacle}`}`;
}

/** In the order of the setting, without duplicates. */
export function languagesOf(setting: string): readonly string[] {
  return [...new Set(setting.split("+"))];
}

function howToInstallData(languages: readonly string[]): string {
  const packages = languages.map((language) => `tesseract-ocr-${language.replaceAll("_", "-")}`);
  return (
    `Debian and Ubuntu: \`apt install ${packages.join(" ")}\`, macOS: \`brew install tesseract-lang\`, ` +
    "Windows: select it in the tesseract installer"
  );
}
