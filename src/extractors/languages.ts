/** The only language whose data comes with the service; it needs no program of the machine. */
export const BUILTIN_LANGUAGE = "eng";

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
    `Reading text in pictures in \`${languages}\` needs the program tesseract; what is built in reads English alone. Install it ` +
    `(${howToInstall}) and the data of the languages (${data}), or leave RECOLLECT_READ_LANGUAGES out, and retry.`
  );
}

function howToInstallData(languages: readonly string[]): string {
  const packages = languages.map((language) => `tesseract-ocr-${language.replaceAll("_", "-")}`);
  return (
    `Debian and Ubuntu: \`apt install ${packages.join(" ")}\`, macOS: \`brew install tesseract-lang\`, ` +
    "Windows: choose it in the installer of tesseract"
  );
}
