import type { CommitCare } from "../../src/adapters/store/sqlite-writer.js";

/** For databases that live as long as a test: nobody waits for the disk. */
export const noCare: CommitCare = {
  permit: () => undefined,
  committed: () => undefined,
  sync: async () => undefined,
};
