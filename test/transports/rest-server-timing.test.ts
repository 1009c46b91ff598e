import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
  await rest.send(
    "POST",
    "/v3/documents",
    { content: "Nora keeps bees.", containerTag: "nora" },
    { prefer: "wait=30" },
  );
});
afterAll(() => rest.close());

/** Milliseconds by name, parsed as the W3C Server Timing specification defines. */
function stagesOf(header: string | null): Map<string, number> {
  const entries = (header ?? "").split(", ").map((part) => /^([\w-]+);dur=(\d+(?:\.\d+)?)$/.exec(part));
  return new Map(entries.map((entry) => [entry?.[1] ?? "unreadable", Number(entry?.[2])]));
}

describe("a search reports its stages in Server-Timing", () => {
  test.each(["/v4/search", "/v3/search"])("%s", async (path) => {
    const { headers, body } = await rest.send("POST", path, { q: "bees", containerTags: ["nora"] });
    const stages = stagesOf(headers.get("server-timing"));
    expect([...stages.keys()]).toEqual(
      expect.arrayContaining(["scope", "words", "embed", "vectors", "details", "rank", "load", "total"]),
    );
    expect(stages.get("total")).toBe(body.timing);
    for (const [name, milliseconds] of stages)
      if (name !== "total") expect(milliseconds).toBeLessThanOrEqual(body.timing + 0.1);
  });

  test("pages of other origins may read the header", async () => {
    const { headers } = await rest.send("POST", "/v4/search", { q: "bees" }, { origin: "https://example.org" });
    expect(headers.get("access-control-expose-headers")).toContain("Server-Timing");
  });
});
