import { findDirectory } from "./zip-directory.js";

const DIRECTORY_HEADER = "PK\u0001\u0002";
const DIRECTORY_HEADER_BYTES = 46;
/** In an ordinary file, the directory is within this many bytes of the end; only names are looked at, nothing is unpacked. */
export const MOST_DIRECTORY_BYTES = 4 * 1024 * 1024;
const MOST_NAMES = 20_000;

const OFFICE = "application/vnd.openxmlformats-officedocument";
const BY_PART: readonly (readonly [part: string, mimeType: string])[] = [
  ["word/document.xml", `${OFFICE}.wordprocessingml.document`],
  ["ppt/presentation.xml", `${OFFICE}.presentationml.presentation`],
  ["xl/workbook.xml", `${OFFICE}.spreadsheetml.sheet`],
  ["META-INF/container.xml", "application/epub+zip"],
];

/** The kind of an archive by the names of its entries, or by its first entry for formats that identify themselves there. */
export function zipKind(bytes: Uint8Array): string {
  return statedKind(bytes) ?? kindByNames(bytes) ?? "application/zip";
}

/** OpenDocument and EPUB begin with an uncompressed entry `mimetype`. */
function statedKind(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  if (head.slice(30, 38) !== "mimetype" || bytes.length < 38) return null;
  const start = 38 + head.charCodeAt(28) + 256 * head.charCodeAt(29);
  return /^application\/[\w.+-]{1,100}?(?=PK|$|[^\w.+-])/.exec(head.slice(start))?.[0] ?? null;
}

function kindByNames(bytes: Uint8Array): string | null {
  for (const name of namesIn(bytes)) {
    const kind = BY_PART.find(([part]) => part === name)?.[1];
    if (kind !== undefined) return kind;
  }
  return null;
}

/** Names in the directory; its beginning, or the end of the file, may be missing. */
function* namesIn(bytes: Uint8Array): Generator<string> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = findDirectory(bytes);
  const end = directory?.end ?? all.length;
  let at = all.indexOf(DIRECTORY_HEADER, Math.max(0, directory?.start ?? 0, end - MOST_DIRECTORY_BYTES), "latin1");
  for (let seen = 0; at !== -1 && seen < MOST_NAMES && at + DIRECTORY_HEADER_BYTES <= end; seen += 1) {
    const nameEnd = at + DIRECTORY_HEADER_BYTES + all.readUInt16LE(at + 28);
    yield all.toString("latin1", at + DIRECTORY_HEADER_BYTES, nameEnd);
    at = all.indexOf(DIRECTORY_HEADER, nameEnd + all.readUInt16LE(at + 30) + all.readUInt16LE(at + 32), "latin1");
  }
}
