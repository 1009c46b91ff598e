import { count } from "../../../lib/count.js";
import { Interrupted } from "../interrupt.js";

/** Counts what came of files, so that whoever ends the command knows how far it was. */
export function countSent(total: number): {
  readonly onSent: (isKept: boolean) => void;
  /** @throws what was thrown, with the counts where the user ended the command */
  readonly explainInterruption: (error: unknown) => never;
} {
  let [kept, refused] = [0, 0];
  return {
    onSent(isKept) {
      if (isKept) kept += 1;
      else refused += 1;
    },
    explainInterruption(error) {
      if (!(error instanceof Interrupted)) throw error;
      const left = total - kept - refused;
      const counts = `${count(kept, "file")} of ${total} ${kept === 1 ? "is" : "are"} kept, ${left} not sent`;
      throw new Interrupted(error.signal, `${counts}. Add them again to go on: what is kept is left as it is.`);
    },
  };
}
