import type { DocumentDetails } from "../../core/index.js";
import { AppError } from "../../core/errors.js";
import { sleep } from "../../lib/time.js";
import type { Access, Cli } from "./cli.js";
import { isThrough, waitUntilThrough } from "./wait.js";

/** Milliseconds between two checks of what is left. */
const POLL_MS = 500;
/** When nothing finishes for this long, a language model is probably unavailable. */
const PATIENCE_MS = 120_000;

/** The outcome of documents that are read again. */
export interface Outcome {
  /** How many are still unread when the command ends. */
  readonly waiting: number;
  /** Those of the named documents that failed again. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
}

export const NOTHING_LEFT: Outcome = { waiting: 0, failed: [] };

/** The documents that are being read again. */
interface Begun {
  readonly documents: number;
  /** Ids or customIds of named documents: their files or pages may have to be read too, which no counter includes. */
  readonly named: readonly string[];
}

/** Waits, as long as there is progress, until documents have been read again. */
export async function waitForReadings(cli: Cli, access: Access, begun: Begun, isPatient: boolean): Promise<Outcome> {
  const countLeft = async () => (await access.core.status(access.read)).reprocessing;
  if (!isPatient) return { waiting: await countLeft(), failed: [] };
  const progress = cli.output.progress(describeProgress(begun.documents, begun));
  const show = (text: string) => progress.update(text);
  try {
    const read = await waitForNamed(access, begun, show);
    return { ...read, waiting: read.waiting + (await waitForReaders(countLeft, begun, show)) };
  } finally {
    progress.stop();
  }
}

async function waitForNamed(access: Access, begun: Begun, show: (text: string) => void): Promise<Outcome> {
  const failed: Outcome["failed"][number][] = [];
  let [waiting, done] = [0, 0];
  for (const id of begun.named) {
    const details = await waitUntilThrough(access, id, (state) =>
      show(`${describeProgress(begun.documents - done, begun)}: ${state}`),
    ).catch(ignoreDeleted);
    done += 1;
    const reason = details && reasonOf(details);
    if (reason !== null) failed.push({ id, reason });
    else if (details && !isThrough(details.document)) waiting += 1;
  }
  return { waiting, failed };
}

/** Null for a document that did not fail. */
function reasonOf({ document, reading }: DocumentDetails): string | null {
  if (document.status === "failed") return document.errorReason ?? "unknown reason";
  const kept = reading?.outcome?.notReadAgain;
  return kept === undefined ? null : `it was left as it was, because its file could not be read again: ${kept}`;
}

/** Somebody may delete it meanwhile. */
function ignoreDeleted(error: unknown): null {
  if (error instanceof AppError && error.kind === "not_found") return null;
  throw error;
}

/** @returns how many documents are still unread */
async function waitForReaders(
  countLeft: () => Promise<number>,
  begun: Begun,
  show: (text: string) => void,
): Promise<number> {
  let left = await countLeft();
  for (let deadline = Date.now() + PATIENCE_MS; left > 0 && Date.now() < deadline;) {
    show(describeProgress(left, begun));
    await sleep(POLL_MS);
    const now = await countLeft();
    if (now < left) deadline = Date.now() + PATIENCE_MS;
    left = now;
  }
  return left;
}

function describeProgress(left: number, { documents }: Begun): string {
  return `reading again: ${Math.max(0, documents - left)} of ${documents}`;
}
