import type {
  AddDocumentInput,
  Call,
  Core,
  DocumentDetails,
  DocumentReceipt,
  ExplainedReceipt,
} from "../../core/index.js";
import { sleep } from "../../lib/time.js";

/** Longer than any healthy document takes; what is unfinished by then is reported as it is. */
const LONGEST_WAIT_SECONDS = 120;
const FIRST_WAIT_SECONDS = 1;
const LONGEST_TURN_SECONDS = 10;
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;

/**
 * Adds a document and waits until it is searchable and its facts are resolved, it has failed, or two minutes are over. Repeats
 * the call with the same operation id, which adds nothing twice, so that the state can be shown meanwhile.
 */
export async function waitUntilUnderstood(
  core: Core,
  call: Call,
  input: AddDocumentInput,
  onState: (state: string) => void,
): Promise<ExplainedReceipt> {
  let waited = 0;
  let turn = FIRST_WAIT_SECONDS;
  for (;;) {
    const receipt = await core.addDocument(call, { ...input, wait: turn });
    waited += turn;
    if (isThrough(receipt) || waited >= LONGEST_WAIT_SECONDS) return receipt;
    onState(describeState(receipt));
    turn = Math.min(turn * 2, LONGEST_TURN_SECONDS, LONGEST_WAIT_SECONDS - waited);
  }
}

export function isThrough({ status, dreamingStatus }: Pick<DocumentReceipt, "status" | "dreamingStatus">): boolean {
  return status === "failed" || (status === "done" && dreamingStatus === "done");
}

/** As `waitUntilThrough`, for the document of a file that was sent. */
export async function waitUntilRead(
  access: Looking,
  sent: DocumentReceipt,
  onState: (state: string) => void,
): Promise<ExplainedReceipt> {
  const { document } = await waitUntilThrough(access, sent.id, onState);
  const { status, dreamingStatus, errorReason, factsLeftOut, receipt: facts } = document;
  return { ...sent, status, dreamingStatus, errorReason, factsLeftOut, facts };
}

interface Looking {
  readonly core: Core;
  readonly read: Call;
}

/**
 * Polls a document until it is searchable and its facts are resolved, it has failed, or nothing about it has changed for two
 * minutes.
 */
export async function waitUntilThrough(
  { core, read }: Looking,
  id: string,
  onState: (state: string) => void,
): Promise<DocumentDetails> {
  let [shown, since, pause] = ["", Date.now(), FIRST_LOOK_MS];
  for (;;) {
    const details = await core.getDocument(read, { id });
    const state = describeReading(details) ?? describeState(details.document);
    const isStuck = state === shown && Date.now() - since >= LONGEST_WAIT_SECONDS * 1_000;
    if (isThrough(details.document) || isStuck) return details;
    if (state !== shown) [since, shown] = [Date.now(), state];
    onState(state);
    await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_LOOK_MS);
  }
}

function describeReading({ reading }: DocumentDetails): string | null {
  const progress = reading?.running?.progress;
  if (!progress) return null;
  const { unit, done, total } = progress;
  return `reading ${unit} ${done}${total === null ? "" : ` of ${total}`}`;
}

/** The state of a document, in a word or two. */
export function describeState({ status, dreamingStatus }: Pick<DocumentReceipt, "status" | "dreamingStatus">): string {
  return status === "done" && dreamingStatus === "dreaming" ? "finding facts" : status;
}
