import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundaryOf, MultipartError, parseMultipart } from "../../src/lib/multipart.js";

const encode = (...pieces: readonly (string | Uint8Array)[]) =>
  Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));

describe("the parts of a form", () => {
  test("come out as they went in, whatever their bytes", async () => {
    const looksLikeSyntax = fc.constantFrom("\r\n", "--", "\r\n--", "--b", "\r\n--b", "b--", "\r\n\r\n", "\r", "\n");
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.array(looksLikeSyntax, { maxLength: 12 }).map((pieces) => Buffer.from(`${pieces.join("")}.`)),
    );
    fc.assert(
      fc.property(fc.array(content, { maxLength: 5 }), (contents) => {
        const boundary = "boundary-that-occurs-nowhere";
        const parts = contents.map((bytes, index) =>
          encode(`--${boundary}\r\ncontent-disposition: form-data; name="p${index}"\r\n\r\n`, bytes, "\r\n"),
        );
        const parsed = parseMultipart(encode(...parts, `--${boundary}--\r\n`), boundary);
        expect(parsed.map(({ name, bytes }) => [name, Buffer.from(bytes)])).toEqual(
          contents.map((bytes, index) => [`p${index}`, bytes]),
        );
      }),
    );
  });

  test("any bytes are either a form or refused in words", () => {
    const noise = fc.array(
      fc.constantFrom(
        "--x",
        "--x--",
        "\r\n",
        "\r\n\r\n",
        'content-disposition: form-data; name="a"',
        ":",
        ";",
        " ",
        "y",
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(noise, (pieces) => {
        try {
          for (const { name } of parseMultipart(encode(pieces.join("")), "x")) expect(name).not.toBe("");
        } catch (error) {
          expect(error).toBeInstanceOf(MultipartError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("a body full of what begins like a boundary is given up", () => {
    const body = encode("--x\r\ncontent-disposition: form-data; name=a\r\n\r\n", "\r\n--xy".repeat(2_000), "\r\n--x--");
    expect(() => parseMultipart(body, "x")).toThrow(/more than 1000 lines begin with the boundary/);
  });

  test.each<[disposition: string, name: string, filename: string | undefined]>([
    ['form-data; name="a"', "a", undefined],
    ["form-data;name=a;filename=b.txt", "a", "b.txt"],
    ['FORM-DATA; Name="a"; FileName="b.txt"', "a", "b.txt"],
    ['form-data; filename="b.txt"; name="a"', "a", "b.txt"],
    ['form-data; name="a"; filename=""', "a", ""],
    ['form-data; name="a"; filename="b \\"c\\" d.txt"', "a", 'b "c" d.txt'],
    ['form-data; name="a"; filename="b %22c%22.txt"', "a", 'b "c".txt'],
    ['form-data; name="a"; filename="b;name=c.txt"', "a", "b;name=c.txt"],
    ['form-data; filename="b; name=c.txt"; name="a"', "a", "b; name=c.txt"],
    ['form-data; name="a"; filename="/x/y/b.txt"', "a", "b.txt"],
    ['form-data; name="a"; filename="_"; filename*=UTF-8\'\'%C3%A4.txt', "a", "ä.txt"],
    ['form-data; name="a"; filename="b.txt"; filename*=UTF-8\'\'%FF', "a", "b.txt"],
    ['form-data; name="é"; filename="猫.txt"', "é", "猫.txt"],
  ])("%s", (disposition, name, filename) => {
    const body = encode(`--x\r\nContent-Disposition: ${disposition}\r\n\r\n1\r\n--x--`);
    expect(parseMultipart(body, "x")).toMatchObject([{ name, filename }]);
  });
});

describe("the boundary of a content type", () => {
  test.each([
    ["multipart/form-data; boundary=abc", "abc"],
    ['multipart/form-data; boundary="a b;c"', "a b;c"],
    ["multipart/form-data; charset=utf-8; Boundary=abc; x=y", "abc"],
  ])("%s", (type, boundary) => {
    expect(boundaryOf(type)).toBe(boundary);
  });
});
