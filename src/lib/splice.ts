/** One place of a text where something was replaced. */
export interface Splice {
  /** 0-based offset of the place in both texts. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The smallest single splice that turns one text into the other. */
export function spliceBetween(before: string, after: string): Splice {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return {
    offset: head,
    removed: before.slice(head, before.length - tail),
    inserted: after.slice(head, after.length - tail),
  };
}

/** The text with the splice undone, wherever it is by now; undefined when it does not occur exactly once. */
export function unsplice(text: string, { offset, removed, inserted }: Splice): string | undefined {
  if (inserted === "") return undefined;
  const at = text.startsWith(inserted, offset) ? offset : text.indexOf(inserted);
  if (at < 0 || text.indexOf(inserted, text.indexOf(inserted) + 1) >= 0) return undefined;
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
}

/** The splice extended to whole lines, for people; unchanged if the lines are longer than `limit` characters. */
export function wholeLines(before: string, splice: Splice, limit: number): { removed: string[]; added: string[] } {
  const start = before.lastIndexOf("\n", splice.offset - 1) + 1;
  const end = splice.offset + splice.removed.length;
  const stop = before.indexOf("\n", end) < 0 ? before.length : before.indexOf("\n", end);
  const isLong = splice.offset - start > limit || stop - end > limit;
  const head = isLong ? "" : before.slice(start, splice.offset);
  const tail = isLong ? "" : before.slice(end, stop);
  return dropCommon(toLines(head + splice.removed + tail), toLines(head + splice.inserted + tail));
}

function toLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function dropCommon(removed: string[], added: string[]): { removed: string[]; added: string[] } {
  let head = 0;
  while (head < Math.min(removed.length, added.length) && removed[head] === added[head]) head++;
  let tail = 0;
  const most = Math.min(removed.length, added.length) - head;
  while (tail < most && removed.at(-1 - tail) === added.at(-1 - tail)) tail++;
  return { removed: removed.slice(head, removed.length - tail), added: added.slice(head, added.length - tail) };
}
