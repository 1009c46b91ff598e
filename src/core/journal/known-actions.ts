import { invalid } from "../input.js";

/** Refuses to look for an action that there is not: nothing would be found, as if nobody had done it. @throws AppError `invalid` */
export function refuseUnknown(actions: readonly string[], action: string | undefined): void {
  if (action === undefined || actions.includes(action)) return;
  throw invalid([{ path: ["action"], message: `must be one of ${actions.toSorted().join(", ")}` }]);
}
