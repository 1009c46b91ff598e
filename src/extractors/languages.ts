/** What is wrong where tesseract has no data of these languages, and how they are installed: sentences. */
export function missingLanguages(missing: readonly string[]): string {
  const packages = missing.map((language) => `tesseract-ocr-${language.replaceAll("_", "-")}`);
  return (
    `The program tesseract has no data of the language \`${missing.join("+")}\`. Install it (Debian and Ubuntu: ` +
    `\`apt install ${packages.join(" ")}\`, macOS: \`brew install tesseract-lang\`, Windows: choose it in the installer of ` +
    "tesseract), or change RECOLLECT_READ_LANGUAGES, and retry."
  );
}
