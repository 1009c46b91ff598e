import { constants } from "node:fs";
import { access } from "node:fs/promises";

/** Whether a path exists and is accessible to this process in the given mode: `constants.X_OK` for a program. */
export function canAccess(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
