/** A picture in a message of a conversation, as it came: its bytes, or where it is. */
export interface MessagePicture {
  /** SHA-256 of the bytes, or of the address where it is only known by that. */
  readonly digest: string;
  readonly bytes: Uint8Array | null;
  readonly address: string | null;
}

/** What is to be known of how a picture was read. */
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
  /** The language model would not or could not describe it, and is to be asked again. */
  readonly isUndescribed?: boolean;
}

export type UndescribedPicture = Pick<SettledPicture, "digest" | "note">;

/** The pictures in messages of conversations, each of which is read once. Goes with its document. */
export interface MessagePictureStore {
  /** Notes pictures that are still to be read; those that are known stay as they are. */
  add(organizationId: string, documentId: string, pictures: readonly MessagePicture[]): Promise<void>;
  /** Digests of all pictures that are known of a document, read or not. */
  digests(organizationId: string, documentId: string): Promise<ReadonlySet<string>>;
  /** Digests of those that are still to be read. */
  unread(organizationId: string, documentId: string): Promise<string[]>;
  /** Those that were read and still wait for a description, with what is to be known of how they were read. */
  undescribed(organizationId: string, documentId: string): Promise<UndescribedPicture[]>;
  /** One that is still to be read or described. */
  find(organizationId: string, documentId: string, digest: string): Promise<MessagePicture | null>;
  /** Notes that one was read, and lets go of it unless it still waits for a description. */
  settle(organizationId: string, documentId: string, read: SettledPicture): Promise<void>;
  /** Lets go of all that a conversation shows no more, read or not. @param shown digests of the others */
  keepOnly(organizationId: string, documentId: string, shown: ReadonlySet<string>): Promise<void>;
  notes(organizationId: string, documentId: string): Promise<PictureNote[]>;
}
