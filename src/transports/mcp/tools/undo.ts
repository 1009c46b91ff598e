import * as z from "zod";
import type { Core } from "../../../core/index.js";
import { AppError } from "../../../core/errors.js";
import type { Actor } from "../../../core/types.js";
import { createId } from "../../../lib/ids.js";
import { count } from "../../../lib/count.js";
import { oneLine } from "../../../lib/one-line.js";
import { defineTool } from "../tool.js";
import { anyId, containerTag } from "./arguments.js";

const input = z.object({
  batchId: anyId.optional().describe("From forget or submit-extraction"),
  memoryId: anyId.optional().describe("Or a memory, to undo its last change"),
  containerTag: containerTag.describe("Only if all of it is in this container"),
});

const output = z.object({
  batchId: z.string().describe("The batch of this undo, which can be undone in turn"),
  undone: z.int().describe("Number of changes undone"),
  skipped: z
    .array(z.object({ memoryId: z.string().nullable(), reason: z.string() }))
    .describe("What stays unchanged, for example because of later changes"),
});

interface Asker {
  readonly core: Core;
  readonly actor: Actor;
}

export const undoTool = defineTool({
  name: "undo",
  title: "Undo",
  description: "Undoes changes made together: what was forgotten or replaced returns, what was added is forgotten.",
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ core, actor }, args) {
    const batchId = await batchOf({ core, actor }, args);
    if (args.containerTag !== undefined) await requireWithin({ core, actor }, batchId, args.containerTag);
    const undone = await core.undoBatch({ actor, operationId: createId() }, { batchId });
    const skipped = undone.skipped.map(({ memoryId, reason }) => ({ memoryId, reason }));
    const left = skipped.map(({ memoryId, reason }) =>
      oneLine(memoryId === null ? reason : `[${memoryId}]: ${reason}`),
    );
    const text = `${count(undone.undone, "change")} undone as batch ${undone.batchId}.${left.length > 0 ? ` Left unchanged: ${left.join("; ")}.` : ""}`;
    return { text, structured: { batchId: undone.batchId, undone: undone.undone, skipped } };
  },
});

async function batchOf({ core, actor }: Asker, { batchId, memoryId }: z.output<typeof input>): Promise<string> {
  if ((batchId === undefined) === (memoryId === undefined))
    throw new AppError("invalid", "Name exactly one of batchId and memoryId. Nothing was changed.");
  if (batchId !== undefined) return batchId;
  const last = (await core.readHistory({ actor }, { id: memoryId })).entries.at(-1);
  if (!last) throw new AppError("not_found", `No change to memory ${memoryId} is on record. Nothing was changed.`);
  return last.batchId;
}

/** A caller restricted to one container undoes nothing in another. */
async function requireWithin({ core, actor }: Asker, batchId: string, tag: string): Promise<void> {
  const within = await core.listJournal({ actor }, { batchId, containerTag: tag, limit: 1 });
  const all = await core.listJournal({ actor }, { batchId, limit: 1 });
  if (within.total > 0 && within.total === all.total) return;
  throw new AppError("not_found", `There is no batch ${batchId} in ${tag}. Nothing was changed.`);
}
