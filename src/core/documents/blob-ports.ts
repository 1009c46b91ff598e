/** Bytes of uploaded files by key, stored beside the record: rows of `files` say which of them are valid. */
export interface BlobStore {
  /** Stores the bytes durably under a key. @throws AppError `storage_full`, or `unavailable` when they cannot be stored */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * Stores the content of a local file in the same way, without loading it into memory; the file itself may be removed
   * afterwards.
   */
  keep(key: string, path: string): Promise<void>;
  /** The local file that contains the bytes; null when there is none, or they are stored elsewhere. */
  pathOf(key: string): Promise<string | null>;
  /** Up to `length` bytes from `start`, fewer at the end; null when there is nothing under the key. */
  read(key: string, start: number, length: number): Promise<Uint8Array | null>;
  /** Does nothing when there is nothing under the key. */
  remove(key: string): Promise<void>;
  /** Everything stored. */
  list(): Promise<ListedBlob[]>;
  /** Why nothing can be stored or read; null if all went well the last time, or does now if it had not, or nothing was tried. */
  problem(): Promise<string | null>;
}

export interface ListedBlob {
  readonly key: string;
  /** Its age by the clock of the store, which may differ from ours. */
  readonly ageMs: number;
}

/** Received bytes that wait on this machine to be processed. */
export interface Upload {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly digest: string;
}

/**
 * Receives bytes without holding them in memory. The receiver must remove an upload in the end; uploads left by a process that
 * died are removed after an hour.
 */
export interface UploadStore {
  /**
   * Durable when it returns; leaves nothing behind if it throws.
   * @throws AppError `storage_full`, `unavailable`, or what `pieces` throws
   */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<Upload>;
  /** The local file of an upload. @throws Error for a key that is not an id */
  pathOf(key: string): string;
  /** Up to `length` bytes from `start`, fewer at the end; null when there is no such upload. */
  read(key: string, start: number, length: number): Promise<Uint8Array | null>;
  /** Does nothing when there is no such upload. */
  remove(key: string): Promise<void>;
  list(): Promise<ListedBlob[]>;
}
