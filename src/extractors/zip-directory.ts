const DIRECTORY_END = 0x06054b50;
const DIRECTORY_END_64 = 0x06064b50;
const DIRECTORY_LOCATOR_64 = 0x07064b50;

const DIRECTORY_END_BYTES = 22;
const DIRECTORY_END_64_BYTES = 56;
const LOCATOR_BYTES = 20;
const LONGEST_COMMENT = 0xffff;

/** Where the directory of an archive is. */
export interface DirectoryPlace {
  /** Number of entries that it claims to have. */
  readonly count: number;
  /** Where it begins; negative if the available bytes begin within the directory. */
  readonly start: number;
  readonly end: number;
  /** Anything before the archive, such as a self-extracting program, shifts all offsets written in it by this much. */
  readonly base: number;
}

/**
 * Finds the directory of an archive from the end of the file: bytes like its own may occur anywhere before, for example in an
 * uncompressed archive inside this one. Null if the end is missing or is not an archive's.
 */
export function findDirectory(bytes: Uint8Array): DirectoryPlace | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === null) return null;
  const locator = end - LOCATOR_BYTES;
  if (locator >= 0 && view.getUint32(locator, true) === DIRECTORY_LOCATOR_64) return findLong(view, locator);
  const size = view.getUint32(end + 12, true);
  return placeOf(end, size, view.getUint32(end + 16, true), view.getUint16(end + 10, true));
}

function findEnd(view: DataView): number | null {
  const last = view.byteLength - DIRECTORY_END_BYTES;
  for (let place = last; place >= Math.max(0, last - LONGEST_COMMENT); place -= 1)
    if (view.getUint8(place) === 0x50 && view.getUint32(place, true) === DIRECTORY_END) return place;
  return null;
}

/** For an archive with 64-bit offsets: the end record is where the locator says, or right before the locator. */
function findLong(view: DataView, locator: number): DirectoryPlace | null {
  const isEnd = (at: number): boolean =>
    at >= 0 && at + DIRECTORY_END_64_BYTES <= locator && view.getUint32(at, true) === DIRECTORY_END_64;
  const end = [uint64(view, locator + 8), locator - DIRECTORY_END_64_BYTES].find(isEnd);
  if (end === undefined) return null;
  return placeOf(end, uint64(view, end + 40), uint64(view, end + 48), uint64(view, end + 32));
}

function placeOf(end: number, size: number, written: number, count: number): DirectoryPlace {
  return { count, start: end - size, end, base: Math.max(0, end - size - written) };
}

function uint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}
