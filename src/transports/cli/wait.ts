import type { AddDocumentInput, Call, Core, ExplainedReceipt } from "../../core/index.js";

/** Longer than any healthy document takes; what is not through by then is reported as it is. */
const LONGEST_WAIT_SECONDS = 120;
const FIRST_WAIT_SECONDS = 1;
const LONGEST_TURN_SECONDS = 10;

/**
 * Adds a document and waits until it is searchable and its facts are resolved, it failed, or two minutes are over.
 * Asks again with the same operation id, which adds nothing twice, so that the state can be shown meanwhile.
 */
export async function waitUntilUnderstood(
  core: Core,
  call: Call,
  input: AddDocumentInput,
  onState: (receipt: ExplainedReceipt) => void,
): Promise<ExplainedReceipt> {
  let waited = 0;
  let turn = FIRST_WAIT_SECONDS;
  for (;;) {
    const receipt = await core.addDocument(call, { ...input, wait: turn });
    waited += turn;
    if (isThrough(receipt) || waited >= LONGEST_WAIT_SECONDS) return receipt;
    onState(receipt);
    turn = Math.min(turn * 2, LONGEST_TURN_SECONDS, LONGEST_WAIT_SECONDS - waited);
  }
}

export function isThrough({ status, dreamingStatus }: ExplainedReceipt): boolean {
  return status === "failed" || (status === "done" && dreamingStatus === "done");
}
