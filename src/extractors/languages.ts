/** The only language whose data come with the service; it needs no program of the machine. */
export const BUILTIN_LANGUAGE = "eng";

/** Where the built-in recognizer finds the data of other languages. */
export interface LanguageData {
  /** Holds `<language>.traineddata` of each language that has been fetched. */
  readonly folder: string;
  /** Why what is missing there cannot be fetched, a sentence; null before it has been tried. */
  readonly obstacle: string | null;
}

/** Name of the file with the data of a language. */
export function dataFileOf(language: string): string {
  return `${language}.traineddata`;
}

/** What is wrong where tesseract has no data of these languages, and how they are installed: sentences. */
export function missingLanguages(missing: readonly string[]): string {
  return (
    `The program tesseract has no data of the language \`${missing.join("+")}\`. Install it ` +
    `(${howToInstallData(missing)}), or change RECOLLECT_READ_LANGUAGES, and retry.`
  );
}

/** What is wrong where tesseract is missing, and something else than English is to be read. */
export function missingForLanguages(languages: string, howToInstall: string): string {
  const data = howToInstallData(languages.split("+"));
  return (
    `Reading text in pictures in \`${languages}\` needs the program tesseract: of these languages only the data of English come with ` +
    `the service. Install it (${howToInstall}) and the data of the languages (${data}), or leave RECOLLECT_READ_LANGUAGES out, and retry.`
  );
}

/** What is wrong where neither tesseract nor what is built in has the data of these languages. */
export function unfetchedLanguages(missing: readonly string[], { obstacle }: LanguageData): string {
  return `The data of the language \`${missing.join("+")}\` are not there${obstacle === null ? " yet" : `: ${obstacle}`}`;
}

/** In the order of the setting, each once. */
export function languagesOf(setting: string): readonly string[] {
  return [...new Set(setting.split("+"))];
}

function howToInstallData(languages: readonly string[]): string {
  const packages = languages.map((language) => `tesseract-ocr-${language.replaceAll("_", "-")}`);
  return (
    `Debian and Ubuntu: \`apt install ${packages.join(" ")}\`, macOS: \`brew install tesseract-lang\`, ` +
    "Windows: choose it in the installer of tesseract"
  );
}
