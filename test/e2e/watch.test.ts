import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  environmentFor,
  expectNothingLeft,
  PROGRAM,
  startServe,
  withDataDirectory,
} from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 60_000 });

test.each(["alone", "beside a service"])("the program follows a folder %s, and Ctrl-C ends it", async (how) => {
  await withDataDirectory(async (data) => {
    const service = how === "alone" ? null : await startServe(data);
    const folder = join(data, "..", `${Date.now()}-notes`);
    await mkdir(folder);
    try {
      await writeFile(join(folder, "a.md"), "Ana leads Atlas.");
      const child = spawn(process.execPath, [PROGRAM, "add", folder, "--watch"], { env: environmentFor(data) });
      let told = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => (told += text));
      const sees = (pattern: RegExp) =>
        vi.waitFor(() => expect(told).toMatch(pattern), { timeout: 25_000, interval: 50 });
      await sees(/^1 added/m);
      await sees(/^Following/m);
      await copyFile(join(import.meta.dirname, "../fixtures/extractors/small-latex.pdf"), join(folder, "tide.pdf"));
      await sees(/^added: .*tide\.pdf/m);
      await rm(join(folder, "a.md"));
      await sees(/^deleted: .*a\.md/m);
      child.kill("SIGINT");
      const [code] = await once(child, "close");
      expect([code, told]).toEqual([0, expect.stringContaining("No longer following")]);
    } finally {
      await rm(folder, { recursive: true });
      await service?.stop();
    }
    await expectNothingLeft(data);
  });
});
