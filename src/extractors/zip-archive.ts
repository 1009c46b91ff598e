import { Inflate } from "fflate";
import { ExtractionError } from "./extraction-error.js";
import type { ExtractionLimits } from "./format-extractor.js";
import { findDirectory } from "./zip-directory.js";

/** An archive in memory. Entry names are only looked up, never used as paths. */
export interface ZipArchive {
  /** Names of the files, in directory order, without folders. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /**
   * The whole of an entry, or null if there is none with this name. Without an exact match, the case of letters is ignored.
   * @throws ExtractionError `too_large` once everything unpacked exceeds the limit, `damaged` or `encrypted`
   */
  read(name: string): Uint8Array | null;
  /** The same, piece by piece, so that it need not be in memory at once. @throws ExtractionError as `read`, during iteration */
  stream(name: string): Iterable<Uint8Array> | null;
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly packedBytes: number;
  readonly headerAt: number;
}

const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_HEADER = 0x02014b50;
const ELSEWHERE_32 = 0xffffffff;

const ENCRYPTED_FLAG = 1;
const STORED = 0;
const DEFLATED = 8;
/** Bytes unpacked at a time; they expand to at most about a thousand times as many. */
const PIECE_BYTES = 16_384;

/**
 * Opens an archive by its directory. Declared sizes are not trusted: unpacked bytes are counted.
 * @throws ExtractionError `damaged`, `empty`, `too_large` for too many entries, `encrypted` and `unsupported` for Office files
 * that are not archives
 */
export function openZip(bytes: Uint8Array, limits: ExtractionLimits): ZipArchive {
  if (bytes.length === 0) throw new ExtractionError("empty", "The file is empty.");
  refuseCompoundFile(bytes);
  const reader = new ZipReader(bytes, limits);
  return reader.open();
}

const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/** Office uses this container both for password-protected files and for its formats from before 2007. */
function refuseCompoundFile(bytes: Uint8Array): void {
  if (!COMPOUND_FILE.every((byte, index) => bytes[index] === byte)) return;
  if (
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(Buffer.from("EncryptedPackage", "utf16le"))
  )
    throw new ExtractionError(
      "encrypted",
      "The file is protected with a password. Save a copy without the password and send that.",
    );
  throw new ExtractionError(
    "unsupported",
    "The file is in an Office format from before 2007, which is not supported. Save it as .docx, .xlsx or .pptx and send that.",
  );
}

function damaged(what: string): ExtractionError {
  return new ExtractionError("damaged", `The file is damaged: ${what}. Send it again, or save a new copy first.`);
}

class ZipReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #limits: ExtractionLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #namesInAnyCase = new Map<string, string>();
  #unpackedBytes = 0;

  constructor(bytes: Uint8Array, limits: ExtractionLimits) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
  }

  open(): ZipArchive {
    this.#readDirectory();
    return {
      names: [...this.#entries.keys()],
      has: (name) => this.#find(name) !== undefined,
      read: (name) => {
        const entry = this.#find(name);
        return entry ? this.#join(this.#unpack(entry)) : null;
      },
      stream: (name) => {
        const entry = this.#find(name);
        return entry ? this.#unpack(entry) : null;
      },
    };
  }

  #find(name: string): Entry | undefined {
    return this.#entries.get(name) ?? this.#entries.get(this.#namesInAnyCase.get(name.toLowerCase()) ?? name);
  }

  #readDirectory(): void {
    const directory = findDirectory(this.#bytes);
    if (directory === null) throw damaged("its end is missing, or it is not an Office, OpenDocument or EPUB file");
    const { count, start, end, base } = directory;
    if (count > this.#limits.maximumEntries) throw this.#tooMany();
    let place = start;
    for (let read = 0; place + 46 <= end && this.#uint32(place) === DIRECTORY_HEADER; read += 1) {
      // The count is only what the file claims.
      if (read >= this.#limits.maximumEntries) throw this.#tooMany();
      place = this.#readEntry(place, base);
    }
    if (this.#entries.size === 0) throw damaged("it is an archive with no files");
  }

  #tooMany(): ExtractionError {
    const most = this.#limits.maximumEntries.toLocaleString("en");
    return new ExtractionError("too_large", `The file is an archive of more than ${most} entries.`);
  }

  /** If several entries share a name, the last one counts, as in other programs. @returns where the next entry begins */
  #readEntry(place: number, base: number): number {
    const nameLength = this.#uint16(place + 28);
    const extraAt = place + 46 + nameLength;
    const extraLength = this.#uint16(place + 30);
    const name = this.#name(place + 46, nameLength);
    const [packedBytes, headerAt] = this.#sizes(place, extraAt, extraLength);
    if (name !== "" && !name.endsWith("/")) {
      const [flags, method] = [this.#uint16(place + 8), this.#uint16(place + 10)];
      this.#entries.set(name, { name, flags, method, packedBytes, headerAt: base + headerAt });
      this.#namesInAnyCase.set(name.toLowerCase(), name);
    }
    return extraAt + extraLength + this.#uint16(place + 32);
  }

  #name(at: number, length: number): string {
    const text = new TextDecoder().decode(this.#bytes.subarray(at, at + length));
    const slashes = text.replaceAll("\\", "/");
    return slashes.startsWith("/") ? slashes.slice(1) : slashes;
  }

  /** The packed size and the offset of the header, which are in an extra field if they need more than 32 bits. */
  #sizes(place: number, extraAt: number, extraLength: number): [packedBytes: number, headerAt: number] {
    const short = {
      unpacked: this.#uint32(place + 24),
      packed: this.#uint32(place + 20),
      at: this.#uint32(place + 42),
    };
    let field = this.#extraField64(extraAt, extraLength);
    const long = (value: number): number => {
      if (value !== ELSEWHERE_32 || field === null) return value;
      const found = this.#uint64(field);
      field += 8;
      return found;
    };
    long(short.unpacked);
    return [long(short.packed), long(short.at)];
  }

  #extraField64(start: number, length: number): number | null {
    for (let place = start; place + 4 <= start + length; place += 4 + this.#uint16(place + 2))
      if (this.#uint16(place) === 1) return place + 4;
    return null;
  }

  *#unpack(entry: Entry): Generator<Uint8Array> {
    const packed = this.#packed(entry);
    for (const piece of entry.method === STORED ? [packed] : inflated(packed)) {
      this.#unpackedBytes += piece.length;
      if (this.#unpackedBytes > this.#limits.maximumUnpackedBytes) {
        const most = Math.round(this.#limits.maximumUnpackedBytes / 2 ** 20).toLocaleString("en");
        throw new ExtractionError("too_large", `The file unpacks to more than ${most} MiB, which is not allowed.`);
      }
      yield piece;
    }
  }

  #packed({ flags, method, packedBytes, headerAt }: Entry): Uint8Array {
    if ((flags & ENCRYPTED_FLAG) !== 0)
      throw new ExtractionError("encrypted", "The file is encrypted. Save a copy without the password and send that.");
    if (method !== STORED && method !== DEFLATED) throw damaged("it is packed with an unknown method");
    if (headerAt + 30 > this.#bytes.length || this.#uint32(headerAt) !== LOCAL_HEADER)
      throw damaged("a part of it is not where it should be");
    const start = headerAt + 30 + this.#uint16(headerAt + 26) + this.#uint16(headerAt + 28);
    if (start + packedBytes > this.#bytes.length) throw damaged("it is cut off in the middle");
    return this.#bytes.subarray(start, start + packedBytes);
  }

  #join(pieces: Iterable<Uint8Array>): Uint8Array {
    const all = [...pieces];
    const [first] = all;
    return first && all.length === 1 ? first : new Uint8Array(Buffer.concat(all));
  }

  #uint16(at: number): number {
    return at + 2 <= this.#bytes.length ? this.#view.getUint16(at, true) : 0;
  }

  #uint32(at: number): number {
    return at >= 0 && at + 4 <= this.#bytes.length ? this.#view.getUint32(at, true) : 0;
  }

  #uint64(at: number): number {
    return this.#uint32(at) + this.#uint32(at + 4) * 2 ** 32;
  }
}

function* inflated(packed: Uint8Array): Generator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const inflate = new Inflate((piece) => {
    if (piece.length > 0) ready.push(piece);
  });
  for (let at = 0; at < packed.length; at += PIECE_BYTES) {
    push(inflate, packed.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length);
    yield* ready;
    ready = [];
  }
}

function push(inflate: Inflate, piece: Uint8Array, isLast: boolean): void {
  try {
    inflate.push(piece, isLast);
  } catch {
    throw damaged("a part of it cannot be unpacked");
  }
}
