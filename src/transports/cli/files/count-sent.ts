import { count } from "../../../lib/count.js";
import { Interrupted } from "../interrupt.js";

/** Counts outcomes of files, so that a user who ends the command learns how far it got. */
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
      const counts = `${kept} of ${count(total, "file")} ${kept === 1 ? "is" : "are"} kept, ${left} not sent`;
      throw new Interrupted(error.signal, `${counts}. Add them again to continue: what is kept is left as it is.`);
    },
  };
}
