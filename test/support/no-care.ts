import type { CommitCare } from "../../src/adapters/store/sqlite-writer.js";

/** For databases that live only as long as a test: writes do not wait for the disk. */
export const noCare: CommitCare = {
  permit: () => undefined,
  committed: () => undefined,
  sync: async () => undefined,
};
