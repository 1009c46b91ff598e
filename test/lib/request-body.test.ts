import { describe, expect, test } from "vitest";
import { readBodyText } from "../../src/lib/request-body.js";

const request = (body: string | ReadableStream | null, headers: Record<string, string> = {}) =>
  new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" } as RequestInit);

/** A stream that gives these chunks and then ends, or fails. */
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
  test("gives the text, also of a character that lies in two chunks", async () => {
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

  test("says that it was interrupted when the sender went away", async () => {
    const cut = stream([bytes('{"a":')], new Error("aborted"));
    await expect(readBodyText(request(cut), 100)).rejects.toMatchObject({ problem: "interrupted" });
  });
});
