import { expect, test } from "vitest";
import { repositoryOf } from "../../src/adapters/store/repository.js";
import { withMethods } from "../support/with-methods.js";

interface Greetings {
  greet(name: string, mark?: string): string;
  part(): Promise<string>;
}

const greetingsIn = repositoryOf<Greetings, { readonly language: string }>({
  greet: ({ language }, name, mark = ".") => `${language}: ${name}${mark}`,
  async part({ language }) {
    return `${language}: bye`;
  },
});

test("each repository passes its context to its methods", async () => {
  const dutch = greetingsIn({ language: "nl" });
  const french = greetingsIn({ language: "fr" });
  expect([dutch.greet("Mia"), french.greet("Mia", "!"), await dutch.part()]).toEqual([
    "nl: Mia.",
    "fr: Mia!",
    "nl: bye",
  ]);
});

test("repositories share their methods, so that another one is just another object", () => {
  const [one, other] = [greetingsIn({ language: "nl" }), greetingsIn({ language: "fr" })];
  expect(Object.getPrototypeOf(one)).toBe(Object.getPrototypeOf(other));
  expect(Object.values(one)).toEqual([{ language: "nl" }]);
});

test("replacing a method leaves the other methods and repositories unchanged", async () => {
  const dutch = greetingsIn({ language: "nl" });
  const changed = withMethods(dutch, { greet: () => "Hm" });
  expect([changed.greet("Mia"), await changed.part(), dutch.greet("Mia")]).toEqual(["Hm", "nl: bye", "nl: Mia."]);
});
