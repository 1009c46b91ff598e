import type { StoredFile } from "../types.js";

/** Information about uploaded files. A file is valid while `/files/{key}` is the URL of its document. */
export interface FileStore {
  insert(organizationId: string, file: Omit<StoredFile, "createdAt">): Promise<void>;
  /** Null for a file that is no longer valid. */
  byKey(organizationId: string, key: string): Promise<StoredFile | null>;
  /** Oldest first; the document names at most one of them. */
  ofDocument(organizationId: string, documentId: string): Promise<StoredFile[]>;
  /** Removes up to `limit` rows of files that their document does not name, or whose document is gone. @returns their keys */
  dropUnnamed(organizationId: string, limit: number): Promise<string[]>;
  /** The secret with which links to files are signed; created on first use, and then permanent. */
  linkSecret(organizationId: string): Promise<string>;
  /** Those of the keys that have a row. */
  knownKeys(organizationId: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
}
