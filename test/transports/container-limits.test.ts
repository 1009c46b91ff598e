import { expect, test } from "vitest";
import { MOST_CONTAINERS_OF_DOCUMENT } from "../../src/core/index.js";
import { documentContainerFields } from "../../src/transports/rest/schemas.js";

const tags = (count: number) => Array.from({ length: count }, (_, index) => `box-${index}`);

test("the schema accepts as many containers per document as the core, and names the limit beyond that", () => {
  const { containerTags } = documentContainerFields;
  expect(containerTags.safeParse(tags(MOST_CONTAINERS_OF_DOCUMENT)).success).toBe(true);
  const refused = containerTags.safeParse(tags(MOST_CONTAINERS_OF_DOCUMENT + 1));
  expect(refused.error?.message).toContain(String(MOST_CONTAINERS_OF_DOCUMENT));
});
