import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openService } from "../src/app.js";
import { readConfig } from "../src/config.js";
import { silentLog } from "./support/open-core.js";

test("a service whose settings cannot be used closes its store: no write-ahead log stays behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "recollect-test-"));
  try {
    const config = readConfig({ RECOLLECT_DATA_DIR: folder, RECOLLECT_OFFLINE: "1", CHROMA_URL: "http://127.0.0.1:9" });
    const unusable = { ...config, chroma: { ...config.chroma!, url: "ftp://127.0.0.1:9" } };
    const opening = openService({ config: unusable, version: "0.0.0-test", log: silentLog, engine: "off" });
    await expect(opening).rejects.toThrow("CHROMA_URL must be");
    const log = await stat(join(folder, "recollect.db-wal")).catch(() => null);
    expect(log?.size ?? 0).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
