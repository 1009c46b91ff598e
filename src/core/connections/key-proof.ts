import type { CoreContext } from "../context.js";
import { AppError, UnreadableSecret } from "../errors.js";
import { sealedInSettings } from "../upkeep/settings.js";

/** The text in a proof. It is not secret; only the key it was sealed with is. */
const PROOF = "The key of this record.";

type ProofContext = Pick<CoreContext, "store" | "secretBox">;

/**
 * Ensures that all services sharing the record have the same key. The first one leaves a proof: a text sealed with its key,
 * which the others must be able to open. A service that can open it only with an older key from its file replaces it.
 * @throws AppError `invalid` if it has a different key
 */
export async function requireSharedKey(context: ProofContext): Promise<void> {
  const { store, secretBox } = context;
  for (;;) {
    const kept = await store.keyProof.read();
    const isOurs = kept === null ? await opensRecord(context) : await opens(secretBox, kept);
    if (!isOurs) throw anotherKey();
    if (kept !== null && (await secretBox.isCurrent(kept))) return;
    if (await store.keyProof.replace(kept, await secretBox.seal(PROOF))) return;
  }
}

/** Leaves a proof for a service that has the record to itself, whatever key was used before. */
export async function noteKey({ store, secretBox, log }: ProofContext & Pick<CoreContext, "log">): Promise<void> {
  try {
    // Nothing has been sealed yet, and no key is created before it is needed.
    if (!(await secretBox.hasKey())) return;
    const kept = await store.keyProof.read();
    if (kept !== null && (await secretBox.isCurrent(kept))) return;
    await store.keyProof.replace(kept, await secretBox.seal(PROOF));
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "corrupt") throw error;
    log.warn("the key that credentials are encrypted with cannot be read", { error });
  }
}

/** True if nothing is sealed, or if anything can be opened: the rest may have been sealed with a key lost long ago. */
async function opensRecord({ store, secretBox }: ProofContext): Promise<boolean> {
  let isAnythingSealed = false;
  for await (const sealed of sealedTexts(store)) {
    if (await opens(secretBox, sealed)) return true;
    isAnythingSealed = true;
  }
  return !isAnythingSealed;
}

async function* sealedTexts(store: CoreContext["store"]): AsyncGenerator<string> {
  yield* await sealedInSettings(store);
  for (const { organizationId, id, webhooks } of await store.connections.list(store.organizationId)) {
    const sealed = await store.connections.sealedSecrets(organizationId, id);
    if (sealed !== null) yield sealed;
    if (webhooks !== null) yield webhooks.secret;
  }
}

/** How many secrets are kept, and how many of them no key opens any more. */
export async function countSecrets({ store, secretBox }: ProofContext): Promise<{ kept: number; unreadable: number }> {
  const found = { kept: 0, unreadable: 0 };
  for await (const sealed of sealedTexts(store)) {
    found.kept += 1;
    if (!(await opens(secretBox, sealed))) found.unreadable += 1;
  }
  return found;
}

async function opens(secretBox: CoreContext["secretBox"], sealed: string): Promise<boolean> {
  try {
    await secretBox.open(sealed);
    return true;
  } catch (error) {
    if (error instanceof UnreadableSecret) return false;
    throw error;
  }
}

function anotherKey(): AppError {
  return new AppError(
    "invalid",
    "RECOLLECT_SECRET_KEY is not the key that the credentials in this record were encrypted with. Set it to the same value on all nodes. If a single service used the record before, its key is the first line of secret.key in its data folder, unless it had that setting. “Several nodes” in docs/operation.md explains how to change the key, and what to do if it is lost.",
  );
}
