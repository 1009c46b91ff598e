import Supermemory from "supermemory";
import { afterAll, afterEach, beforeAll, describe, expect, vi } from "vitest";
import { tryManyDocuments } from "../contract/sdk/collections.js";
import { tryDocuments } from "../contract/sdk/documents.js";
import { tryRecall } from "../contract/sdk/recall.js";
import { tryOrganization } from "../contract/sdk/settings.js";
import * as shapes from "../contract/sdk/shapes.js";
import { methodsOf, openSdk, type SdkUnderTest } from "../contract/sdk/under-test.js";
import { openClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";

/** The published official SDK, pointed at a running service by its base URL only. */

let sdk: SdkUnderTest<Supermemory>;
beforeAll(async () => {
  sdk = await openSdk((options) => new Supermemory(options));
});
afterAll(() => sdk.close());
afterEach(() => vi.unstubAllEnvs());

const trial = tryClient("sdk");

tryDocuments(
  trial,
  "documents",
  () => sdk,
  () => sdk.client.documents,
);
tryManyDocuments(trial, () => sdk);
tryRecall(trial, () => sdk, ["search", "search.memories"]);
tryOrganization(trial, () => sdk);

describe("functions of the newest generation", () => {
  trial.tries("search", "can be called as a function", async () => {
    const answer = await sdk.client.search({
      q: "was the launch of the rocket after the storms that the weather station warned of",
      containerTag: "recall",
      threshold: 0,
      include: { chunks: true },
    });
    expect(shapes.memorySearch.parse(answer).results[0]?.chunks?.[0]).toMatchObject({
      documentId: expect.any(String),
      position: 0,
      score: expect.any(Number),
    });
  });

  trial.tries("add", "reports a wrong key as an authentication error, with the reason", async () => {
    const stranger = sdk.client.withOptions({ apiKey: "sm_nobody_xxxxxxxxxxxxxxxxxxxx" });
    const refusal = await sdk.expectRefusal(() => stranger.add({ content: "x" }), "AuthenticationError");
    expect(refusal.message).toContain("Invalid or missing API key");
  });

  trial.tries("add", "names field and rule of a bad request, and the limit of one that is too large", async () => {
    const empty = await sdk.expectRefusal(() => sdk.client.add({ content: "" }), "BadRequestError");
    expect(empty.message).toContain("content: must not be empty");
    const huge = await sdk.expectRefusal(() => sdk.client.add({ content: "x".repeat(1_100_000) }), "APIError");
    expect(huge).toMatchObject({ status: 413, message: expect.stringContaining("1048576") });
  });

  trial.tries("add", "retries after too many requests", async () => {
    const settings = { RECOLLECT_RATE_LIMIT: "1", RECOLLECT_RATE_WINDOW_SECONDS: "2" };
    const limited = await openClientService({ settings });
    try {
      const client = new Supermemory({ apiKey: limited.key, baseURL: limited.url });
      const add = () => client.add({ content: "One more.", containerTag: "limited" }, { maxRetries: 0 });
      await expect(Promise.all([add(), add(), add()])).rejects.toBeInstanceOf(Supermemory.RateLimitError);
      shapes.receipt.parse(await client.add({ content: "With patience.", containerTag: "limited" }));
      await limited.settle();
    } finally {
      await limited.close();
    }
  });

  trial.tries(
    "search",
    "Supermemory.local() finds the service by its environment variable, and needs no key",
    async () => {
      vi.stubEnv("SUPERMEMORY_LOCAL_URL", sdk.service.url);
      vi.stubEnv("SUPERMEMORY_API_KEY", undefined);
      const local = await Supermemory.local();
      expect((await local.search({ q: "launch", containerTag: "recall" })).total).toBeGreaterThan(0);
    },
  );
});

trial.leavesNothingOut(() => methodsOf(sdk.client));
trial.isInTable();
