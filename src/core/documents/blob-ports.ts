/** Bytes of uploaded files by key, beside the record: a row of `files` says which of them count. */
export interface BlobStore {
  /** Keeps the bytes durably under an id. @throws AppError `storage_full`, or `unavailable` when they cannot be kept */
  put(key: string, bytes: Uint8Array): Promise<void>;
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
