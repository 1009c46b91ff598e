import { afterEach, beforeEach, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest();
});
afterEach(() => rest.close());

test.each([
  ["I work at Bosch.", "I quit.", "Bosch"],
  ["I work at Bosch.", "I quit my job.", "Bosch"],
  ["I work at Bosch.", "I resigned.", "Bosch"],
  ["I have a dog named Rex.", "Rex died.", "dog named Rex"],
  ["I have a dog named Rex.", "Rex passed away yesterday.", "dog named Rex"],
])("%j is over after the statement %j", async (held, ending, gone) => {
  const add = async (content: string) => {
    await rest.send("POST", "/v3/documents", { content, containerTag: "mia" });
    await rest.settle();
  };
  const current = async () => {
    const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: ["mia"] });
    return body.memoryEntries
      .filter(({ isForgotten }: any) => !isForgotten)
      .map(({ memory }: any) => memory)
      .join("\n");
  };
  await add(held);
  expect(await current()).toContain(gone);
  await add(ending);
  expect(await current()).not.toContain(gone);
});
