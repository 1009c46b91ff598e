import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config.js";

describe("where vectors are searched", () => {
  test("is decided by the size of containers, unless a setting says otherwise", () => {
    expect(readConfig({})).toMatchObject({ vectors: "auto", exactLimit: 1_000_000 });
    expect(readConfig({ RECOLLECT_VECTORS: "exact" })).toMatchObject({ vectors: "exact" });
    expect(readConfig({ RECOLLECT_VECTORS: "chroma" })).toMatchObject({ vectors: "auto", exactLimit: 0 });
  });

  test.each([
    [{ RECOLLECT_VECTORS: "exact", CHROMA_URL: "http://chroma.example:8000" }, "does not use Chroma"],
    [{ RECOLLECT_VECTORS: "chroma", RECOLLECT_EXACT_LIMIT: "5" }, "keeps every vector in Chroma"],
    [{ RECOLLECT_VECTORS: "chroma", RECOLLECT_NODES: "several" }, "Nodes share one Chroma server"],
    [{ CHROMA_TOKEN: "token" }, "CHROMA_TOKEN is set, but CHROMA_URL is not"],
  ])("is refused where settings contradict each other: %j", (settings, reason) => {
    expect(() => readConfig(settings)).toThrow(reason);
  });
});
