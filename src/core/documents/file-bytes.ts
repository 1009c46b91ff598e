import * as z from "zod";

/** The bytes of a file, converted to base64 only where they leave this process. */
export class FileBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  toJSON(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString("base64");
  }
}

/** `FileBytes`, or the form they take when sent from another process. */
export const bytesSchema = z.union(
  [
    z.instanceof(FileBytes).transform(({ bytes }) => bytes),
    z.string().transform((text, context): Uint8Array => {
      const bytes = Buffer.from(text, "base64");
      // Decoding ignores characters outside the alphabet.
      if (text.length % 4 !== 0 || bytes.byteLength !== Buffer.byteLength(text, "base64"))
        context.addIssue("must be base64");
      return bytes;
    }),
  ],
  "must be base64",
);
