/** The most uploads with a password that may wait to be read. */
const MOST_HELD = 1_000;

/** Passwords of files that are still to be read, by file key. They exist only in the memory of this process. */
export interface FilePasswords {
  /** Holds it until it is dropped; beyond a thousand the oldest is discarded, and its file has to be sent again. */
  hold(fileKey: string, password: string): void;
  of(fileKey: string): string | undefined;
  drop(fileKey: string): void;
}

export function createFilePasswords(): FilePasswords {
  const held = new Map<string, string>();
  return {
    hold(fileKey, password) {
      held.delete(fileKey);
      held.set(fileKey, password);
      const [oldest] = held.keys();
      if (held.size > MOST_HELD && oldest !== undefined) held.delete(oldest);
    },
    of: (fileKey) => held.get(fileKey),
    drop(fileKey) {
      held.delete(fileKey);
    },
  };
}
