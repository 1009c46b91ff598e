import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPrograms } from "../../src/extractors/programs.js";

test("programs are looked up in the folders of the path, and listed with how to install them everywhere", async () => {
  const folder = await mkdtemp(join(tmpdir(), "recollect-programs-"));
  try {
    const program = join(folder, "tesseract");
    await writeFile(program, "#!/bin/sh\n");
    await chmod(program, 0o755);
    const found = await findPrograms([join(folder, "none"), folder], "eng");
    expect(found.map(({ name, isThere }) => [name, isThere])).toEqual([
      ["tesseract", true],
      ["ffmpeg", false],
    ]);
    expect(found.map(({ withoutIt }) => withoutIt)).toEqual(["only English is read", "it cannot be read"]);
    for (const { howToInstall } of found) expect(howToInstall).toMatch(/apt install .*brew install .*winget install /);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.skipIf(process.platform === "win32")(
  "language data missing from tesseract is named, with how to install it",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "recollect-programs-"));
    try {
      const listed = 'List of available languages in "/data/" (3):\nchi_tra\neng\nosd\n';
      await writeFile(join(folder, "tesseract"), `#!/bin/sh\n[ "$1" = --list-langs ] && echo '${listed}'\n`, {
        mode: 0o755,
      });
      const lacks = async (languages: string) => (await findPrograms([folder, "/bin"], languages))[0]?.lacks;
      expect(await lacks("eng+chi_tra")).toBeNull();
      expect((await findPrograms([], "eng"))[0]?.lacks).toBeNull();
      expect((await findPrograms([], "deu"))[0]?.withoutIt).toBe("it cannot be read in `deu`");
      expect((await findPrograms([], "deu"))[0]?.lacks).toMatch(
        /needs the program tesseract.*apt install tesseract-ocr-deu/,
      );
      expect(await lacks("eng+chi_sim+deu")).toMatch(
        /`chi_sim\+deu`.*apt install tesseract-ocr-chi-sim tesseract-ocr-deu`.*brew install tesseract-lang.*RECOLLECT_READ_LANGUAGES/,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
