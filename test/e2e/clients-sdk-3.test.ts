import Supermemory from "supermemory-3";
import { afterAll, beforeAll } from "vitest";
import { tryManyDocuments } from "../contract/sdk/collections.js";
import { tryDocuments, type DocumentMethods } from "../contract/sdk/documents.js";
import { tryRecall } from "../contract/sdk/recall.js";
import { tryOrganization } from "../contract/sdk/settings.js";
import { methodsOf, openSdk, type SdkClient, type SdkUnderTest } from "../contract/sdk/under-test.js";
import { tryClient } from "../support/client-table.js";

/** The third generation of the SDK, which also calls documents memories. */

/** Its types are older than the API's answers (contract 1.1), so the newer types are used for both. */
interface ThirdGeneration extends SdkClient {
  readonly documents: SdkClient["documents"] & DocumentMethods;
  readonly memories: SdkClient["memories"] & DocumentMethods;
}

let sdk: SdkUnderTest<ThirdGeneration>;
beforeAll(async () => {
  sdk = await openSdk((options) => new Supermemory(options) as unknown as ThirdGeneration);
});
afterAll(() => sdk.close());

const trial = tryClient("sdk3");

tryDocuments(
  trial,
  "documents",
  () => sdk,
  () => sdk.client.documents,
);
tryDocuments(
  trial,
  "memories",
  () => sdk,
  () => sdk.client.memories,
);
tryManyDocuments(trial, () => sdk);
tryRecall(trial, () => sdk, ["search.memories"]);
tryOrganization(trial, () => sdk);

trial.leavesNothingOut(() => methodsOf(sdk.client));
trial.isInTable();
