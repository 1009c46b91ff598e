import { truncate } from "../../lib/truncate.js";
import type { ChangePage, SourceChange, SourceItem } from "../ports.js";
import type { RunningSync } from "./sync-run.js";

/** UTF-16 units. Names from a source are written by strangers, and stored with each item and each failure of a run. */
const LONGEST_ID = 2_048;
const LONGEST_ADDRESS = 4_096;
const LONGEST_PATH = 4_096;
/** Same as for document titles. */
const LONGEST_TITLE = 500;
/** Far beyond what any connector uses: versions are hashes, tags and times. */
const LONGEST_VERSION = 2_048;

/** The changes of a page, one per item, as many as are kept; the run reports what is left out. */
export function changesOf(page: ChangePage, run: Pick<RunningSync, "note">): SourceChange[] {
  const changes = new Map<string, SourceChange>();
  for (const change of page.items) {
    const id = idOf(change);
    if (id.includes("\0")) run.note("An item was left out because its id contains a NUL character.", "cut");
    else if (id.length > LONGEST_ID)
      run.note(`An item was left out because its id has more than ${LONGEST_ID} characters.`, "cut");
    else if (change.kind === "upsert" && change.item.version.length > LONGEST_VERSION)
      run.note(`An item was left out because its version has more than ${LONGEST_VERSION} characters.`, "cut");
    // The last change of an item applies.
    else changes.set(id, change.kind === "upsert" ? { ...change, item: bounded(change.item) } : change);
  }
  return [...changes.values()];
}

export function idOf(change: SourceChange): string {
  return change.kind === "upsert" ? change.item.id : change.id;
}

/** A shortened title is still useful; a shortened address or path would lead elsewhere. */
function bounded(item: SourceItem): SourceItem {
  const { title, address, path } = item;
  return {
    ...item,
    title: title === null ? null : truncate(title, LONGEST_TITLE),
    address: address !== null && address.length > LONGEST_ADDRESS ? null : address,
    path: path !== null && path.length > LONGEST_PATH ? null : path,
  };
}
