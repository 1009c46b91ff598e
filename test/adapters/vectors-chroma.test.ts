import { afterAll, beforeAll } from "vitest";

import { createChromaVectors } from "../../src/adapters/vectors/chroma.js";
import type { LocalChroma } from "../../src/adapters/vectors/engine.js";
import { AppError } from "../../src/core/errors.js";
import type { VectorIndex, VectorRecord } from "../../src/core/ports.js";
import { describeVectorIndex } from "../contract/vectors.js";
import { eventually, rememberingLog, startEngine, temporaryDirectory } from "../support/chroma.js";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let engine: LocalChroma & { readonly url: string };

beforeAll(async () => {
  directory = await temporaryDirectory();
  engine = await startEngine(directory.path);
}, 300_000);

afterAll(async () => {
  await engine?.close();
  await directory?.remove();
});

function openChroma(record: VectorRecord, ownAbove: number): VectorIndex {
  const target = { key: "test", name: "Chroma", failure: null, address: () => engine.address() };
  return createChromaVectors({
    record,
    target,
    namespace: `n${ownAbove}`,
    ownAbove: () => ownAbove,
    log: rememberingLog(),
    pollMs: 20,
  });
}

/** Alone, this index refuses while it is being built; the suite asks what it answers when it does. */
function patient(index: VectorIndex): VectorIndex {
  return {
    nearest: (query) =>
      eventually(() =>
        index.nearest(query).catch((error: unknown) => {
          if (error instanceof AppError && error.kind === "unavailable") return null;
          throw error;
        }),
      ),
    status: () => index.status(),
    verify: (signal) => index.verify(signal),
    scrub: (signal) => index.scrub(signal),
    dropSpace: (spaceId) => index.dropSpace(spaceId),
    close: () => index.close(),
  };
}

describeVectorIndex("Chroma, with one collection for all containers", {
  open: async (record) => patient(openChroma(record, 1_000_000)),
  recall: 0.97,
});

describeVectorIndex("Chroma, with a collection for each container", {
  open: async (record) => patient(openChroma(record, 0)),
  recall: 0.97,
});
