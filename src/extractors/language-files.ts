import { access } from "node:fs/promises";
import { join } from "node:path";
import { BUILTIN_LANGUAGE, dataFileOf } from "./languages.js";

/** Those of the languages whose data neither come with the service nor lie in the folder. */
export async function languagesWithoutData(languages: readonly string[], folder: string): Promise<readonly string[]> {
  const isThere = await Promise.all(languages.map((language) => hasData(language, folder)));
  return languages.filter((_, index) => !isThere[index]);
}

async function hasData(language: string, folder: string): Promise<boolean> {
  if (language === BUILTIN_LANGUAGE) return true;
  return access(join(folder, dataFileOf(language))).then(
    () => true,
    () => false,
  );
}
