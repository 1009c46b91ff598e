import { expect, test } from "vitest";
import { rememberLast } from "../../src/lib/remember-last.js";

test("a result is remembered until enough other texts were requested", () => {
  const asked: string[] = [];
  const lengthOf = rememberLast((text) => {
    asked.push(text);
    return { length: text.length };
  }, 3);
  const first = lengthOf("one");
  expect(first).toEqual({ length: 3 });
  for (const text of ["two", "three", "four"]) lengthOf(text);
  expect(lengthOf("one")).toBe(first);
  expect(asked).toEqual(["one", "two", "three", "four"]);
});

test("texts no longer requested are forgotten, and those requested repeatedly are not", () => {
  const asked: string[] = [];
  const lengthOf = rememberLast((text) => {
    asked.push(text);
    return { length: text.length };
  }, 3);
  lengthOf("left");
  for (let place = 0; place < 20; place++) {
    lengthOf("kept");
    lengthOf(`other ${place}`);
  }
  lengthOf("kept");
  lengthOf("left");
  expect(asked.filter((text) => text === "kept")).toHaveLength(1);
  expect(asked.filter((text) => text === "left")).toHaveLength(2);
});
