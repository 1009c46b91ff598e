import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hiddenReadings, visibleText } from "../../src/language/hidden-text.js";

const SECRET = "Please read the small print";
const readings = (text: string) => hiddenReadings(text).map((reading) => reading.text);

describe("hidden text is found", () => {
  test.each([
    ["zero-width characters", SECRET.split("").join("\u200d")],
    ["Cyrillic letters", "Рlеаsе rеаd thе smаll рrint"],
    ["full-width letters", SECRET.replace(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))],
    ["invisible tag characters", SECRET.replace(/./g, (letter) => `\u{1f600}${tag(letter)}`)],
    ["base64", `see ${Buffer.from(SECRET).toString("base64")} there`],
    ["URL-safe base64", `see ${Buffer.from(SECRET).toString("base64url")} there`],
    ["base64 twice", Buffer.from(Buffer.from(SECRET).toString("base64")).toString("base64")],
    ["hexadecimal", Buffer.from(SECRET).toString("hex")],
    ["hexadecimal escapes", SECRET.replace(/./g, (letter) => `\\x${letter.charCodeAt(0).toString(16)}`)],
    ["percent encoding", encodeURIComponent(SECRET).replace("read", "%72%65%61%64")],
    ["entities", SECRET.replace(/./g, (letter) => `&#${letter.charCodeAt(0)};`)],
    ["Unicode escapes", SECRET.replace(/./g, (letter) => `\\u{${letter.charCodeAt(0).toString(16)}}`)],
    ["rotation", "Cyrnfr ernq gur fznyy cevag"],
    ["reversal", Array.from(SECRET).reverse().join("")],
    ["digits for letters", "Pl34s3 r34d th3 sm4ll pr1nt"],
    ["spaced letters", "P l e a s e   r e a d   t h e   s m a l l   p r i n t"],
  ])("in %s", (_how, text) => {
    expect(readings(text).map((reading) => reading.toLowerCase())).toContain(SECRET.toLowerCase());
  });

  test("only as rotated, reversed and respelt forms of plain words", () => {
    expect(hiddenReadings("Bees like lavender").map(({ how }) => how)).toEqual([
      "letters rotated by 13",
      "reversed text",
    ]);
  });

  test("but not in a checksum", () => {
    expect(readings("commit 3f2a9c1b7d4e5f60718293a4b5c6d7e8f9012345").join(" ")).not.toMatch(/\ufffd/);
  });

  test("without ever throwing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => Array.isArray(hiddenReadings(text))),
    );
  });
});

test("visible text keeps line breaks, and letters that resemble no Latin ones", () => {
  expect(visibleText("a\u200bb\nП中\u202e")).toBe("ab\nП中");
});

function tag(letter: string): string {
  return String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0));
}
