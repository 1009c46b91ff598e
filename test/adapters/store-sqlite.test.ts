import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { describeStore } from "../contract/store.js";
import { dumpDatabase } from "../support/store-folder.js";

describeStore("SQLite", async (clock) => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-store-"));
  const store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock });
  return {
    store,
    everything: () => dumpDatabase(join(dataDirectory, STORE_FILE)),
    async close() {
      await store.close();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
});
