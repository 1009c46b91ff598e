import { unzipSync, zipSync } from "fflate";

type Numbers = (bound: number) => number;

const ODD_BYTES = [0, 0x0a, 0x22, 0x25, 0x28, 0x3c, 0x3e, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0xff];
const ODD_NUMBERS = ["-1", "0", "99999999999", "1e400", "4294967295", "2147483648", "0.0000001", "NaN", ""];
/** Archives that can be repacked; other files are changed directly. */
const LARGEST_PART = 5_000_000;

/** The file with a few changes, the same ones for the same numbers, also within archives. */
export function changedFile(original: Uint8Array, next: Numbers): Uint8Array<ArrayBuffer> {
  const isArchive = original[0] === 0x50 && original[1] === 0x4b;
  if (!isArchive || next(4) === 0) return changedBytes(original, next);
  const parts = unzipSync(original, { filter: ({ originalSize }) => originalSize < LARGEST_PART });
  const names = Object.keys(parts).filter((name) => (parts[name]?.length ?? 0) > 0);
  const name = names[next(names.length)] ?? "";
  const part = parts[name] ?? new Uint8Array();
  if (next(12) === 0) delete parts[name];
  else parts[name] = changedBytes(part, next);
  return Uint8Array.from(zipSync(parts, { level: 1 }));
}

function changedBytes(original: Uint8Array, next: Numbers): Uint8Array<ArrayBuffer> {
  let bytes: Buffer = Buffer.from(original);
  for (let count = 1 + next(3); count > 0; count -= 1) bytes = CHANGES[next(CHANGES.length)]?.(bytes, next) ?? bytes;
  return Uint8Array.from(bytes);
}

type Change = (bytes: Buffer, next: Numbers) => Buffer;

const CHANGES: readonly Change[] = [
  (bytes, next) => {
    const changed = Buffer.from(bytes);
    for (let count = 1 + next(16); count > 0 && changed.length > 0; count -= 1)
      changed[next(changed.length)] = next(2) === 0 ? next(256) : (ODD_BYTES[next(ODD_BYTES.length)] ?? 0);
    return changed;
  },
  (bytes, next) => {
    const [from, length] = [next(bytes.length + 1), next(400)];
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
  },
  (bytes, next) => {
    const from = next(bytes.length + 1);
    const piece = bytes.subarray(from, from + 1 + next(200));
    return Buffer.concat([
      bytes.subarray(0, from),
      ...Array.from({ length: next(60) }, () => piece),
      bytes.subarray(from),
    ]);
  },
  (bytes, next) => Buffer.concat([bytes.subarray(0, next(bytes.length + 1))]),
  (bytes, next) => {
    const [from, to] = [next(bytes.length + 1), next(bytes.length + 1)];
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from, from + next(300)), bytes.subarray(to)]);
  },
  (bytes, next) => {
    const text = bytes.toString("latin1");
    const changed = text.replace(/\d{1,10}/g, (number) =>
      next(20) === 0 ? (ODD_NUMBERS[next(ODD_NUMBERS.length)] ?? number) : number,
    );
    return Buffer.from(changed, "latin1");
  },
];
