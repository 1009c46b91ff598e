/** Bytes of uploaded files by key, beside the record: a row of `files` says which of them count. */
export interface BlobStore {
  /** Keeps the bytes durably under an id. @throws AppError `storage_full`, or `unavailable` when they cannot be kept */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Keeps what a file of this machine holds in the same way, without holding it; the file itself may be removed then. */
  keep(key: string, path: string): Promise<void>;
  /** The file of this machine that holds the bytes; null when there is none, or they are elsewhere. */
  pathOf(key: string): Promise<string | null>;
  /** Up to `length` bytes from `start`, fewer at the end; null when there is nothing under the key. */
  read(key: string, start: number, length: number): Promise<Uint8Array | null>;
  /** Does nothing when there is nothing under the key. */
  remove(key: string): Promise<void>;
  /** Everything that is kept. */
  list(): Promise<ListedBlob[]>;
}

export interface ListedBlob {
  readonly key: string;
  /** For how long it has been kept, by the clock of what keeps it: ours may be another. */
  readonly ageMs: number;
}

/** Bytes that came in, and wait on this machine for what becomes of them. */
export interface Upload {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly digest: string;
}

/**
 * Takes in bytes without holding them. Whoever has received an upload removes it in the end; what was left by a process that
 * died goes after an hour.
 */
export interface UploadStore {
  /** Durable when it returns; of what throws on the way nothing is left. @throws AppError `storage_full`, `unavailable`, or what `pieces` throws */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<Upload>;
  /** Its file on this machine. @throws Error for a key that is no id */
  pathOf(key: string): string;
  /** Up to `length` bytes from `start`, fewer at the end; null when there is no such upload. */
  read(key: string, start: number, length: number): Promise<Uint8Array | null>;
  /** Does nothing when there is no such upload. */
  remove(key: string): Promise<void>;
  list(): Promise<ListedBlob[]>;
}
