import { iso } from "../../lib/time.js";
import { removeItem } from "./import-item.js";
import { RemovalsHeld, requireUnchanged, type Sync } from "./sync.js";

/** Removals that need no agreement, and the share of all items above which more do. */
const FREE_REMOVALS = 50;
const FREE_SHARE = 0.2;
/** From this many documents on, removing nearly all needs agreement too: the source may be failing. */
const FEW_DOCUMENTS = 5;
const NEARLY_ALL = 0.8;
const PAGE = 100;

/** Removes the documents of items that are gone. @throws RemovalsHeld when the owner has to agree first */
export async function removeGone(sync: Sync): Promise<void> {
  const { context, connection, run } = sync;
  const { connections } = context.store;
  await requireFewRemovals(sync);
  for (;;) {
    const gone = await connections.goneItems(connection.id, PAGE);
    for (const one of gone) {
      sync.signal.throwIfAborted();
      if (await removeItem(context, connection, one, (repositories) => requireUnchanged(repositories, sync)))
        run.count("removed");
    }
    if (gone.length < PAGE) return;
  }
}

/** @throws RemovalsHeld */
async function requireFewRemovals({ context, connection, agreement }: Sync): Promise<void> {
  const { connections } = context.store;
  const gone = await connections.countGone(connection.id);
  const agreed = agreement !== null && agreement.until > iso(context.clock.now()) ? (agreement.most ?? gone) : 0;
  if (gone <= agreed) return;
  const all = await connections.countDocuments(connection.id);
  const isNearlyAll = all >= FEW_DOCUMENTS && gone >= all * NEARLY_ALL;
  if (gone - agreed <= Math.max(FREE_REMOVALS, all * FREE_SHARE) && !isNearlyAll) return;
  throw new RemovalsHeld(
    `The source no longer has ${gone} of ${all} documents, more than are removed without asking. Check whether that is right, then agree with \`recollect connections sync ${connection.id} --confirm-removals\`; otherwise, the next run checks whether they are back.`,
  );
}
