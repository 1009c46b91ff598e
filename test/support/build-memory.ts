import type { Memory, MemoryKind } from "../../src/core/types.js";

/** A memory of a container `a`, whose text is its id. */
export const buildMemory = (text: string, kind: MemoryKind = "fact"): Memory => ({
  seq: 1,
  id: text,
  containerTag: "a",
  text,
  version: 1,
  isLatest: true,
  parentId: null,
  rootId: null,
  kind,
  isStatic: false,
  isInference: false,
  isForgotten: false,
  forgetAfter: null,
  ownForgetAfter: null,
  forgetReason: null,
  sourceCount: 1,
  strength: 1,
  origin: "user",
  metadata: null,
  createdAt: "2024-05-06T07:08:09.000Z",
  updatedAt: "2024-05-06T07:08:09.000Z",
});
