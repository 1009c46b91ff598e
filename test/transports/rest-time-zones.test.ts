import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const told = [expect.stringMatching(/^metadata\.timezone: is not a time zone such as Pacific\/Auckland/)];

test.each<[timezone: unknown, warnings: unknown]>([
  ["Mars/Olympus", told],
  [7, told],
  ["Pacific/Auckland", undefined],
  ["+13:00", undefined],
])(
  "a document with metadata.timezone %j is stored, with a warning if that is no time zone",
  async (timezone, warnings) => {
    const content = `I visited ${String(timezone)} today.`;
    const one = await rest.send("POST", "/v3/documents", { content, containerTag: "mia", metadata: { timezone } });
    expect([one.status, one.body.warnings]).toEqual([200, warnings]);
    const documents = [{ content: `${content} Again.`, metadata: { timezone } }];
    const many = await rest.send("POST", "/v3/documents/batch", { documents, containerTag: "mia" });
    expect([many.status, many.body.warnings]).toEqual([200, warnings]);
  },
);
