import { spawnSync } from "node:child_process";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import { openZip } from "../../src/extractors/zip-archive.js";
import { USUAL_LIMITS } from "../support/extraction-tools.js";

const text = (bytes: Uint8Array | null) => (bytes ? new TextDecoder().decode(bytes) : null);
const bytes = (content: string) => new TextEncoder().encode(content);

function reasonOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ExtractionError) return error.reason;
    throw error;
  }
  return "nothing";
}

/** Written by Python, which uses 64-bit sizes for streamed entries. */
function pythonZip(script: string): Uint8Array | null {
  const program = `import io, sys, zipfile\nfile = io.BytesIO()\narchive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)\n${script}\narchive.close()\nsys.stdout.buffer.write(file.getvalue())`;
  const { status, stdout } = spawnSync("python3", ["-W", "ignore", "-c", program], { maxBuffer: 64 * 2 ** 20 });
  return status === 0 ? new Uint8Array(stdout) : null;
}
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("an archive", () => {
  const archive = zipSync({
    "a/B.xml": bytes("one"),
    "stored.txt": [bytes("two"), { level: 0 }],
    "../etc/x": bytes("3"),
  });

  test("returns its entries by name, packed or not, case-insensitively", () => {
    const zip = openZip(archive, USUAL_LIMITS);
    expect(zip.names).toEqual(["a/B.xml", "stored.txt", "../etc/x"]);
    expect([text(zip.read("a/b.XML")), text(zip.read("stored.txt")), zip.read("none")]).toEqual(["one", "two", null]);
  });

  test("may be preceded by other data", () => {
    const moved = Buffer.concat([Buffer.alloc(1000, 1), archive]);
    expect(text(openZip(moved, USUAL_LIMITS).read("stored.txt"))).toBe("two");
  });

  test.skipIf(!hasPython)("with 64-bit sizes, and with a duplicate name, is read (needs python3)", () => {
    const long = pythonZip(
      `with archive.open("x", "w", force_zip64=True) as entry: entry.write(b"long")\narchive.writestr("y", "first")\narchive.writestr("y", "last")`,
    );
    const zip = openZip(long ?? new Uint8Array(), USUAL_LIMITS);
    expect([text(zip.read("x")), text(zip.read("y"))]).toEqual(["long", "last"]);
  });

  test("is measured while it is unpacked, whatever it declares", () => {
    const bomb = zipSync({ a: new Uint8Array(30 * 2 ** 20), b: new Uint8Array(30 * 2 ** 20) }, { level: 9 });
    const zip = openZip(lieAboutSizes(bomb), { ...USUAL_LIMITS, maximumUnpackedBytes: 40 * 2 ** 20 });
    expect(zip.read("a")?.length).toBe(30 * 2 ** 20);
    expect(reasonOf(() => zip.read("b"))).toBe("too_large");
    expect(reasonOf(() => openZip(archive, { ...USUAL_LIMITS, maximumEntries: 2 }))).toBe("too_large");
  });

  test("that is damaged, encrypted or not an archive says so", () => {
    expect(reasonOf(() => openZip(new Uint8Array(), USUAL_LIMITS))).toBe("empty");
    for (let length = 1; length < archive.length; length += 7)
      expect(reasonOf(() => openZip(archive.subarray(0, length), USUAL_LIMITS))).toBe("damaged");
    expect(reasonOf(() => openZip(bytes("just text"), USUAL_LIMITS))).toBe("damaged");
    const compound = (content: string) =>
      Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from(content, "utf16le")]);
    expect(reasonOf(() => openZip(compound("EncryptedPackage"), USUAL_LIMITS))).toBe("encrypted");
    expect(reasonOf(() => openZip(compound("WordDocument"), USUAL_LIMITS))).toBe("unsupported");
  });
});

/** Every entry claims to unpack to one byte. */
function lieAboutSizes(archive: Uint8Array): Uint8Array {
  const copy = Buffer.from(archive);
  for (let at = copy.indexOf("PK\x01\x02", 0, "latin1"); at >= 0; at = copy.indexOf("PK\x01\x02", at + 4, "latin1"))
    copy.writeUInt32LE(1, at + 24);
  return copy;
}
