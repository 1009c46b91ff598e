import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, run } from "./pdf-producers.js";

/** LibreOffice's conversion of a file. @param filter the extension, with a filter's name and options where needed */
export function madeBySoffice(name: string, content: string | Uint8Array, filter: string): Uint8Array {
  return inFolder((folder) => {
    writeFileSync(join(folder, name), content);
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    run("soffice", [profile, "--headless", "--convert-to", filter, "--outdir", folder, join(folder, name)], folder);
    const ending = filter.split(":")[0] ?? "";
    return readFileSync(join(folder, `${name.slice(0, name.lastIndexOf("."))}.${ending}`));
  });
}

/** Pandoc's conversion of Markdown. */
export function madeByPandoc(markdown: string, ending: string): Uint8Array {
  return inFolder((folder) => {
    writeFileSync(join(folder, "in.md"), markdown);
    run("pandoc", ["-s", join(folder, "in.md"), "-o", join(folder, `out.${ending}`)], folder);
    return readFileSync(join(folder, `out.${ending}`));
  });
}
