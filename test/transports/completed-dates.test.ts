import { beforeEach, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

const SAID_ON = "2026-11-25T09:00:00Z";
let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest();
});

async function memoriesOf(content: string): Promise<{ memory: string; metadata: any }[]> {
  const sent = { content, containerTag: "flat", documentDate: SAID_ON };
  await rest.send("POST", "/v3/documents", sent);
  await rest.settle();
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: ["flat"] });
  return body.memoryEntries;
}

test("the parts of a date that were inferred are marked", async () => {
  const told = "The lease was signed yesterday, starts 1 February and runs for five years.";
  const memories = await memoriesOf(told);
  const texts = memories.map(({ memory }) => memory).join("; ");
  expect(texts).toContain("starts on 1 February 2027");
  expect(texts).toContain("signed on 24 November 2026");
  expect(texts).toContain("runs for five years");
  expect(memories.flatMap(({ metadata }) => metadata?.temporalContext?.completed ?? [])).toEqual(
    expect.arrayContaining([
      { said: "yesterday", date: "2026-11-24", parts: ["day", "month", "year"] },
      { said: "1 February", date: "2027-02-01", parts: ["year"] },
    ]),
  );
});

test("an ambiguous date stays as stated, with the possible days", async () => {
  const [kept] = await memoriesOf("The sale starts on 20 November.");
  expect(kept?.memory).toBe("The sale starts on 20 November");
  expect(kept?.metadata.temporalContext).toEqual({
    open: [{ said: "on 20 November", dates: ["2026-11-20", "2027-11-20"] }],
  });
});

test("a date that is stated in full is not marked", async () => {
  const [kept] = await memoriesOf("The lease starts on 1 February 2027.");
  expect(kept?.metadata.temporalContext).toEqual({ eventDate: ["2027-02-01"] });
});
