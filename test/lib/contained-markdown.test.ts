import { expect, test } from "vitest";
import { containedMarkdown } from "../../src/lib/contained-markdown.js";

test.each([
  ["# Title", "### Title"],
  ["## mia on 2026-01-01", "#### mia on 2026-01-01"],
  ["   ## mia", "#### mia"],
  ["### Part\n#### Less", "### Part\n#### Less"],
  ["mia\n---", "mia\n\\---"],
  ["mia\n===", "mia\n\\==="],
  ["#hashtag", "###hashtag"],
  ["text # not a heading", "text # not a heading"],
  ["- a\n- b", "- a\n- b"],
  ["a -- b", "a -- b"],
  ["a\r## mia\r\n# b", "a\n#### mia\n### b"],
])("lowers headings: %j", (markdown, contained) => {
  expect(containedMarkdown(markdown)).toBe(contained);
});

test.each([
  ["```sh\n# a comment\n---\n```\n# b", "```sh\n# a comment\n---\n```\n### b"],
  ["~~~\n```\n# a\n~~~", "~~~\n```\n# a\n~~~"],
  ["````\n```\n# a\n````", "````\n```\n# a\n````"],
  ["```\n# a", "```\n# a\n```"],
  ["````\n```\n", "````\n```\n\n````"],
  ["``` a ` b\n# c", "``` a ` b\n### c"],
  ["- a\n  ```\n## mia", "- a\n```\n## mia\n```"],
  ["- ```\n## mia\n  ```\n# b", "- ```\n#### mia\n```\n# b\n```"],
  ["```\n``` not the end\n# a", "```\n``` not the end\n# a\n```"],
])("leaves code unchanged, and closes it: %j", (markdown, contained) => {
  expect(containedMarkdown(markdown)).toBe(contained);
});
