/** Tells waiting callers of this process that a document has changed. Only their waiting time depends on it. */
export interface DocumentEvents {
  changed(documentId: string): void;
  /** Resolves at the next change of the document, or after `ms`. */
  next(documentId: string, ms: number): Promise<void>;
}

export function createDocumentEvents(): DocumentEvents {
  const waiting = new Map<string, Set<() => void>>();
  return {
    changed(documentId) {
      const callbacks = waiting.get(documentId);
      waiting.delete(documentId);
      for (const callback of callbacks ?? []) callback();
    },
    next(documentId, ms) {
      return new Promise((resolve) => {
        const callbacks = waiting.get(documentId) ?? new Set();
        waiting.set(documentId, callbacks);
        const done = (): void => {
          clearTimeout(timer);
          callbacks.delete(done);
          if (callbacks.size === 0 && waiting.get(documentId) === callbacks) waiting.delete(documentId);
          resolve();
        };
        const timer = setTimeout(done, ms);
        callbacks.add(done);
      });
    },
  };
}
