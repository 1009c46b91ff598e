import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundaryOf, MultipartError, readMultipart } from "../../src/lib/multipart.js";

const encode = (...pieces: readonly (string | Uint8Array)[]) =>
  Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));

/** All parts of a body that arrives in pieces of this size. */
async function parse(body: Buffer, boundary: string, pieceBytes = body.length) {
  async function* arrive() {
    for (let at = 0; at < body.length; at += pieceBytes) yield Promise.resolve(body.subarray(at, at + pieceBytes));
  }
  const parts = [];
  for await (const { content, ...part } of readMultipart(arrive(), boundary)) {
    const pieces = [];
    for await (const piece of content) pieces.push(piece);
    parts.push({ ...part, bytes: Buffer.concat(pieces) });
  }
  return parts;
}

const pieceBytes = fc.constantFrom(1, 2, 3, 7, 50, 100_000);

describe("the parts of a form", () => {
  test("are returned as sent, whatever their bytes", async () => {
    const looksLikeSyntax = fc.constantFrom("\r\n", "--", "\r\n--", "--b", "\r\n--b", "b--", "\r\n\r\n", "\r", "\n");
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.array(looksLikeSyntax, { maxLength: 12 }).map((pieces) => Buffer.from(`${pieces.join("")}.`)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 5 }), pieceBytes, async (contents, size) => {
        const boundary = "boundary-that-occurs-nowhere";
        const parts = contents.map((bytes, index) =>
          encode(`--${boundary}\r\ncontent-disposition: form-data; name="p${index}"\r\n\r\n`, bytes, "\r\n"),
        );
        const parsed = await parse(encode(...parts, `--${boundary}--\r\n`), boundary, size);
        expect(parsed.map(({ name, bytes }) => [name, bytes])).toEqual(
          contents.map((bytes, index) => [`p${index}`, bytes]),
        );
      }),
    );
  });

  test("any bytes are parsed or refused with a reason, however they are split", async () => {
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
    const outcomeOf = (body: Buffer, size?: number) =>
      parse(body, "x", size).catch((error: unknown) => {
        if (!(error instanceof MultipartError)) throw error;
        return error.message;
      });
    await fc.assert(
      fc.asyncProperty(noise, pieceBytes, async (pieces, size) => {
        const body = encode(pieces.join(""));
        const whole = await outcomeOf(body);
        if (typeof whole !== "string") for (const { name } of whole) expect(name).not.toBe("");
        expect(await outcomeOf(body, size)).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a body full of lines that begin like a boundary is refused", async () => {
    const body = encode("--x\r\ncontent-disposition: form-data; name=a\r\n\r\n", "\r\n--xy".repeat(2_000), "\r\n--x--");
    await expect(parse(body, "x", 1_000)).rejects.toThrow(/more than 1000 lines begin with the boundary/);
  });

  test("unread parts are skipped, and the body is read to its end", async () => {
    const part = (name: string) => `--x\r\ncontent-disposition: form-data; name=${name}\r\n\r\n${name.repeat(100)}\r\n`;
    let arrived = 0;
    async function* arrive() {
      for (const piece of pieces) {
        arrived += 1;
        yield Promise.resolve(piece);
      }
    }
    const pieces = [part("a"), part("b"), part("c"), "--x--", "\r\nwhat comes after"].map((text) => Buffer.from(text));
    const names = [];
    for await (const { name, content } of readMultipart(arrive(), "x")) {
      names.push(name);
      if (name === "b") for await (const _piece of content) break;
    }
    expect(names).toEqual(["a", "b", "c"]);
    expect(arrived).toBe(pieces.length);
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
  ])("%s", async (disposition, name, filename) => {
    const body = encode(`--x\r\nContent-Disposition: ${disposition}\r\n\r\n1\r\n--x--`);
    expect(await parse(body, "x")).toMatchObject([{ name, filename }]);
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
