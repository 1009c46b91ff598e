import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPrograms } from "../../src/extractors/programs.js";

test("programs are looked for in the folders of the path, and told with how they are installed everywhere", async () => {
  const folder = await mkdtemp(join(tmpdir(), "recollect-programs-"));
  try {
    const program = join(folder, "tesseract");
    await writeFile(program, "#!/bin/sh\n");
    await chmod(program, 0o755);
    const found = await findPrograms([join(folder, "none"), folder]);
    expect(found.map(({ name, isThere }) => [name, isThere])).toEqual([
      ["tesseract", true],
      ["ffmpeg", false],
    ]);
    for (const { howToInstall } of found) expect(howToInstall).toMatch(/apt install .*brew install .*winget install /);
  } finally {
    await rm(folder, { recursive: true });
  }
});
