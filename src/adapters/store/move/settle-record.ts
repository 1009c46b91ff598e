import { type BothSides, copyTable, type SettledTable, settleTable } from "./settle-table.js";
import { finishTextIndex, settleTextIndex } from "./settle-text-index.js";
import { sharedTables } from "./table-shape.js";

/** The progress of a move. */
export interface MoveProgress {
  readonly step: "copying" | "comparing" | "waiting";
  /** The table, or where the service that is waited for answers. */
  readonly of: string;
  /** Rows written so far. */
  readonly rows: number;
}

/** A record that is the same in both places. */
export interface SettledRecord {
  readonly tables: readonly SettledTable[];
  /** Units in the text index. */
  readonly indexed: number;
}

interface Pass extends Pick<BothSides, "source" | "target" | "signal"> {
  readonly tell: (progress: MoveProgress) => void;
}

/** Copies what is there while others may write to the source, which leaves a later pass less to write. */
export async function copyRecord(pass: Pass): Promise<void> {
  const counted = counting(pass, "copying");
  for (const table of sharedTables(await pass.source.shapes(), await pass.target.shapes()))
    await copyTable(counted.of(table.name), table);
  await settleTextIndex(counted.of("the text index"));
}

/**
 * Makes the target equal to the source, which nobody writes to any more, and reads both in full to compare them.
 * @throws AppError `internal` where a table still differs
 */
export async function settleRecord(pass: Pass): Promise<SettledRecord> {
  const { source, target } = pass;
  const counted = counting(pass, "comparing");
  const tables: SettledTable[] = [];
  for (const table of sharedTables(await source.shapes(), await target.shapes())) {
    tables.push(await settleTable(counted.of(table.name), table));
    await target.continueAfter(table, await source.highest(table));
  }
  const indexed = await settleTextIndex(counted.of("the text index"));
  await finishTextIndex({ source, target });
  return { tables, indexed };
}

function counting({ source, target, signal, tell }: Pass, step: MoveProgress["step"]) {
  let rows = 0;
  return {
    of(name: string): BothSides {
      tell({ step, of: name, rows });
      const written = (more: number): void => {
        rows += more;
        tell({ step, of: name, rows });
      };
      return { source, target, signal, written };
    },
  };
}
