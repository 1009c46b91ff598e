import { expect, test } from "vitest";
import { knownContentAddress } from "../../src/adapters/fetch/known-places.js";

test.each([
  [
    "https://github.com/ada/keeper/blob/main/docs/a%20plan.md#L3",
    "https://raw.githubusercontent.com/ada/keeper/main/docs/a%20plan.md",
  ],
  ["https://github.com/ada/keeper", "https://raw.githubusercontent.com/ada/keeper/HEAD/README.md"],
  ["https://www.github.com/ada/keeper/", "https://raw.githubusercontent.com/ada/keeper/HEAD/README.md"],
  ["https://github.com/ada/keeper/issues/7", null],
  ["https://github.com/ada", null],
  ["https://github.com/ada/keeper?tab=license", null],
  ["https://github.com.evil.example/ada/keeper", null],
  ["https://gist.github.com/ada/0123456789abcdef", "https://gist.githubusercontent.com/ada/0123456789abcdef/raw"],
  ["https://arxiv.org/abs/1706.03762v7", "https://arxiv.org/pdf/1706.03762v7"],
  ["https://arxiv.org/abs/hep-th/9901001", "https://arxiv.org/pdf/hep-th/9901001"],
  ["https://arxiv.org/list/cs.CL/recent", null],
  ["https://example.org/abs/1706.03762", null],
])("what %s shows lies at %s", (address, content) => {
  expect(knownContentAddress(new URL(address))).toBe(content);
});
