import { expect, test } from "vitest";
import { parsePathPattern, pathParts } from "../../src/lib/path-pattern.js";

const matches = (pattern: string, path: string): boolean =>
  parsePathPattern(pattern.split("/"))(pathParts(path.split("/")));

test.each([
  ["*.md", "a.md"],
  ["*.md", ".md"],
  ["a*b*c", "abbc"],
  ["a*a", "aa"],
  ["*ab*ab*", "xabxabx"],
  ["a**b", "ab"],
  ["?.md", "🦔.md"],
  ["[a-cx].md", "b.md"],
  ["[a-cx].md", "x.md"],
  ["[!a-c].md", "d.md"],
  ["[^a-c].md", "-.md"],
  ["[]a].md", "].md"],
  ["a[b", "a[b"],
  [String.raw`\*\[`, "*["],
  ["notes/**/*.md", "notes/a.md"],
  ["notes/**/*.md", "notes/deep/down/a.md"],
  ["**/b/**/d", "a/b/c/d"],
  ["notes/**", "notes/deep/a.md"],
])("%s matches %s", (pattern, path) => {
  expect(matches(pattern, path)).toBe(true);
});

test.each([
  ["*.md", "a.md/b"],
  ["*.md", "a.mdx"],
  ["a*a", "a"],
  ["*ab*ab*", "xabx"],
  ["ab*ba", "aba"],
  ["?.md", ".md"],
  ["[a-cx].md", "-.md"],
  ["[!a-c].md", "b.md"],
  ["notes/**/*.md", "other/a.md"],
  ["**/b/**/d", "a/d/c/b"],
])("%s does not match %s", (pattern, path) => {
  expect(matches(pattern, path)).toBe(false);
});

test("patterns that invite backtracking take little time", () => {
  const name = "a".repeat(255);
  const begun = performance.now();
  expect(matches(`${"*a".repeat(250)}*b`, name)).toBe(false);
  expect(matches(`*${"[ab]".repeat(100)}c*`, name)).toBe(false);
  expect(matches(`${"**/a/".repeat(200)}b`, `${"a/".repeat(1_000)}c`)).toBe(false);
  expect(performance.now() - begun).toBeLessThan(2_000);
});
