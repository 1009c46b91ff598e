export function takenOutOf(documentId: string): string {
  return `document ${documentId} was taken out of the container`;
}

export function unformedBy(documentId: string): string {
  return `document ${documentId} forms no memories any more`;
}

export function joinedTo(memoryId: string): string {
  return `the same as memory ${memoryId}`;
}

export function goneWith(containerTag: string): string {
  return `the container ${containerTag} was deleted`;
}

/** The reason for a memory that another one replaced. */
export function replacedBy(memoryId: string): string {
  return `replaced by memory ${memoryId}`;
}

/** The reason for a memory that expired, if none was given. */
export function timeWasOver(forgetAfter: string): string {
  return `its time was over at ${forgetAfter}`;
}

const PATTERNS = [takenOutOf, unformedBy, joinedTo, goneWith].map(
  (reasonOf) => new RegExp(`^(?:the newer statement left: )?${reasonOf("\\S+")}$`),
);

/**
 * True when the service itself forgot a memory because its document or container was moved or removed: nobody wanted it gone,
 * and what stated it may state it again.
 */
export function isSetAside(reason: string | null): boolean {
  return reason !== null && PATTERNS.some((pattern) => pattern.test(reason));
}
