import { invalid } from "../input.js";

/** Refuses to search for an unknown action: finding nothing would look as if nobody had done it. @throws AppError `invalid` */
export function refuseUnknown(actions: readonly string[], action: string | undefined): void {
  if (action === undefined || actions.includes(action)) return;
  throw invalid([{ path: ["action"], message: `must be one of ${actions.toSorted().join(", ")}` }]);
}
