import { describe, expect, test } from "vitest";
import { JsonLimitError } from "../../src/lib/limited-json.js";
import { readBodyText, readLimitedJson } from "../../src/lib/request-body.js";

const request = (body: string | ReadableStream | null, headers: Record<string, string> = {}) =>
  new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" } as RequestInit);

/** A stream that yields these chunks and then ends, or fails. */
function stream(chunks: readonly Uint8Array[], failure?: Error): ReadableStream<Uint8Array> {
  const rest = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = rest.shift();
      if (chunk) controller.enqueue(chunk);
      else if (failure) controller.error(failure);
      else controller.close();
    },
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe("reading a body", () => {
  test("returns the text, even with a character split over two chunks", async () => {
    const [first, second] = [bytes("größe").slice(0, 3), bytes("größe").slice(3)];
    expect(await readBodyText(request(stream([first, second])), 100)).toBe("größe");
    expect(await readBodyText(request("größe", { "content-length": "7" }), 7)).toBe("größe");
    expect(await readBodyText(request(null), 100)).toBe("");
  });

  test.each([7, 6, 0])("of 8 bytes is refused with a limit of %i, announced or not", async (limit) => {
    const problem = { name: "BodyError", problem: "too_large" };
    await expect(readBodyText(request("12345678", { "content-length": "8" }), limit)).rejects.toMatchObject(problem);
    await expect(readBodyText(request(stream([bytes("1234"), bytes("5678")])), limit)).rejects.toMatchObject(problem);
  });

  test("refuses bytes that are not UTF-8 instead of replacing them", async () => {
    for (const wrong of [[0xff], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xc0, 0x80]])
      await expect(readBodyText(request(stream([Uint8Array.from(wrong)])), 100)).rejects.toMatchObject({
        problem: "not_utf8",
      });
  });

  test("reports an interruption when the sender disconnects", async () => {
    const cut = stream([bytes('{"a":')], new Error("aborted"));
    await expect(readBodyText(request(cut), 100)).rejects.toMatchObject({ problem: "interrupted" });
  });
});

describe("reading JSON that arrives in pieces", () => {
  const cut = (text: string, length: number): Uint8Array[] => {
    const whole = bytes(text);
    const count = Math.ceil(whole.byteLength / length);
    return Array.from({ length: count }, (_, index) => whole.slice(index * length, (index + 1) * length));
  };

  test.each([1, 2, 3, 7, 1_000])("of %i bytes each gives the same result as in one piece", async (length) => {
    const value = { 'a"[{': ["größe", "\\", '\\"', "👩‍👩‍👧‍👦", 1.5, null, { b: "\u0000,:]" }] };
    expect(await readLimitedJson(request(stream(cut(JSON.stringify(value), length))), 10_000)).toEqual(value);
  });

  test("keeps its counts from one piece to the next", async () => {
    for (const text of [`[${"1,".repeat(100_000)}1]`, "[".repeat(65) + "]".repeat(65)])
      await expect(readLimitedJson(request(stream(cut(text, 50))), 1_000_000)).rejects.toBeInstanceOf(JsonLimitError);
    const texts = JSON.stringify(['\\"[,'.repeat(50_000)]);
    expect(await readLimitedJson(request(stream(cut(texts, 1_001))), 1_000_000)).toHaveLength(1);
  });

  test("reads the whole body before refusing its contents, but no more than the limit", async () => {
    const pieces = cut("[".repeat(10_000), 100);
    let taken = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[taken];
        if (piece === undefined) return controller.close();
        taken += 1;
        controller.enqueue(piece);
      },
    });
    await expect(readLimitedJson(request(body), 10_000)).rejects.toBeInstanceOf(JsonLimitError);
    expect(taken).toBe(100);
    const longer = stream(cut("[".repeat(10_001), 100));
    await expect(readLimitedJson(request(longer), 10_000)).rejects.toMatchObject({ problem: "too_large" });
  });

  test("returns undefined for white space, and reports other problems", async () => {
    expect(await readLimitedJson(request(stream(cut(" \n\t ", 1))), 100)).toBeUndefined();
    await expect(readLimitedJson(request(stream(cut('{"a":', 2))), 100)).rejects.toBeInstanceOf(SyntaxError);
    const wrong = stream([bytes('"a'), Uint8Array.from([0xe2, 0x82])]);
    await expect(readLimitedJson(request(wrong), 100)).rejects.toMatchObject({ problem: "not_utf8" });
  });
});
