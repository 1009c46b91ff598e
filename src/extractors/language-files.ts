import { join } from "node:path";
import { canAccess } from "../lib/can-access.js";
import { BUILTIN_LANGUAGE, dataFileOf } from "./languages.js";

/** The languages whose data neither come with the service nor are in the folder. */
export async function languagesWithoutData(languages: readonly string[], folder: string): Promise<readonly string[]> {
  const hasData = await Promise.all(
    languages.map(async (language) => language === BUILTIN_LANGUAGE || canAccess(join(folder, dataFileOf(language)))),
  );
  return languages.filter((_, index) => !hasData[index]);
}
