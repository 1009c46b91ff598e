import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, run } from "./pdf-producers.js";

/** What LibreOffice makes of a file. @param filter the ending, with the name and options of a filter where it needs them */
export function madeBySoffice(name: string, content: string | Uint8Array, filter: string): Uint8Array {
  return inFolder((folder) => {
    writeFileSync(join(folder, name), content);
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    run("soffice", [profile, "--headless", "--convert-to", filter, "--outdir", folder, join(folder, name)], folder);
    const ending = filter.split(":")[0] ?? "";
    return readFileSync(join(folder, `${name.slice(0, name.lastIndexOf("."))}.${ending}`));
  });
}

/** What pandoc makes of Markdown. */
export function madeByPandoc(markdown: string, ending: string): Uint8Array {
  return inFolder((folder) => {
    writeFileSync(join(folder, "in.md"), markdown);
    run("pandoc", ["-s", join(folder, "in.md"), "-o", join(folder, `out.${ending}`)], folder);
    return readFileSync(join(folder, `out.${ending}`));
  });
}
