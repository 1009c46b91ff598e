import { describe } from "vitest";
import { documentsContract } from "./store/documents.js";
import type { OpenStore } from "./store/fixture.js";

export type { OpenedStore, OpenStore } from "./store/fixture.js";

/** What every Store must do, whatever database it is on. */
export function describeStore(name: string, open: OpenStore): void {
  describe(`store: ${name}`, () => {
    describe("documents and chunks", () => documentsContract(open));
  });
}
