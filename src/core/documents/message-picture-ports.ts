/** A picture in a message of a conversation, as sent: its bytes, or its address. */
export interface MessagePicture {
  /** SHA-256 of the bytes, or of the address if only that is known. */
  readonly digest: string;
  readonly bytes: Uint8Array | null;
  readonly address: string | null;
}

/** A note on how a picture was read. */
export interface PictureNote {
  /** ISO 8601. */
  readonly readAt: string;
  readonly note: string;
}

export interface SettledPicture {
  readonly digest: string;
  /** ISO 8601. */
  readonly readAt: string;
  readonly note: string | null;
  /** The language model refused or failed to describe it, and is to be asked again. */
  readonly isUndescribed?: boolean;
}

export type UndescribedPicture = Pick<SettledPicture, "digest" | "note">;

/** The pictures in messages of conversations, each read once. Deleted with the document. */
export interface MessagePictureStore {
  /** Records pictures still to be read; known ones stay as they are. */
  add(organizationId: string, documentId: string, pictures: readonly MessagePicture[]): Promise<void>;
  /** Digests of all known pictures of a document, read or not. */
  digests(organizationId: string, documentId: string): Promise<ReadonlySet<string>>;
  /** Digests of those that are still to be read. */
  unread(organizationId: string, documentId: string): Promise<string[]>;
  /** Pictures that were read and still wait for a description, with notes on how they were read. */
  undescribed(organizationId: string, documentId: string): Promise<UndescribedPicture[]>;
  /** A picture still to be read or described. */
  find(organizationId: string, documentId: string, digest: string): Promise<MessagePicture | null>;
  /** Records that a picture was read, and deletes it unless it still waits for a description. */
  settle(organizationId: string, documentId: string, read: SettledPicture): Promise<void>;
  /**
   * Deletes all pictures that a conversation no longer shows, read or not.
   * @param shown digests of the others
   */
  keepOnly(organizationId: string, documentId: string, shown: ReadonlySet<string>): Promise<void>;
  notes(organizationId: string, documentId: string): Promise<PictureNote[]>;
}
