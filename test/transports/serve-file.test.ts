import { describe, expect, test } from "vitest";
import type { StoredFile } from "../../src/core/types.js";
import { serveFile } from "../../src/transports/rest/documents/serve-file.js";

const BYTES = Buffer.alloc(3_500_000, "0123456789\n");
const FILE: StoredFile = {
  key: "1".repeat(22),
  documentId: "2".repeat(22),
  name: "large.txt",
  mimeType: "text/plain",
  bytes: BYTES.byteLength,
  createdAt: "2024-05-06T07:08:09.000Z",
};

/** Reads pieces and records which. */
function reader(bytes: Uint8Array = BYTES) {
  const pieces: [start: number, length: number][] = [];
  const read = async (start: number, length: number) => {
    pieces.push([start, length]);
    return bytes.subarray(start, start + length);
  };
  return { pieces, read };
}

describe("a large file", () => {
  test("is sent whole, one piece at a time", async () => {
    const { pieces, read } = reader();
    const answer = await serveFile(FILE, undefined, read);
    expect(pieces.length).toBeLessThanOrEqual(2);
    expect(Buffer.from(await answer.arrayBuffer()).equals(BYTES)).toBe(true);
    expect(Math.max(...pieces.map(([, length]) => length))).toBe(1_048_576);
  });

  test("is sent as a range, and only that range is read", async () => {
    const { pieces, read } = reader();
    const answer = await serveFile(FILE, "bytes=1000000-3000000", read);
    expect(answer.status).toBe(206);
    expect(answer.headers.get("content-length")).toBe("2000001");
    expect(Buffer.from(await answer.arrayBuffer()).equals(BYTES.subarray(1_000_000, 3_000_001))).toBe(true);
    expect(pieces[0]).toEqual([1_000_000, 1_048_576]);
    expect(pieces.reduce((sum, [, length]) => sum + length, 0)).toBe(2_000_001);
  });

  test("that is shorter than expected ends with an error instead of padding", async () => {
    const answer = await serveFile(FILE, undefined, reader(BYTES.subarray(0, 2_000_000)).read);
    await expect(answer.arrayBuffer()).rejects.toThrow("The file ended before it was complete");
  });
});

test("content-disposition handles a missing name, and escapes one that would break the header", async () => {
  const namedAs = async (name: string | null) =>
    (await serveFile({ ...FILE, name }, undefined, reader().read)).headers.get("content-disposition");
  expect(await namedAs(null)).toBe("inline");
  expect(await namedAs('a"; filename="b\r\nset-cookie: x')).toBe(
    "inline; filename=\"a_; filename=_b__set-cookie: x\"; filename*=UTF-8''a%22%3B%20filename%3D%22b%0D%0Aset-cookie%3A%20x",
  );
});
