import { expect, test } from "vitest";
import { createQuoteFinder } from "../../src/language/find-quote.js";
import { checkFact } from "../../src/ingest/check-fact.js";

const CONTENT = "Amy owns a boat.";

test.each(["Amy owns a \u0000boat", "Amy owns a\u001b boat", "\u202eAmy owns\n a boat"])(
  "removes invisible characters from a model's fact without cutting it: %j",
  (text) => {
    const stated = {
      text,
      kind: "fact" as const,
      isStatic: false,
      eventDates: [],
      forgetAfter: null,
      entities: [],
      buckets: [],
      quote: CONTENT,
    };
    const source = { content: CONTENT, containerTag: "a", date: "2026-11-26T09:00:00Z", timeZone: "UTC" as const };
    expect(checkFact(stated, source, createQuoteFinder(CONTENT))?.text).toBe("Amy owns a boat");
  },
);
