import { AppError } from "../../core/errors.js";
import type { Access } from "./cli.js";
import { printableLine } from "./style.js";

/** Refuses the name of a container that is more likely misspelt than empty. @throws AppError `not_found`, or as the core */
export async function requireExistingContainer({ core, read }: Access, containerTag: string): Promise<void> {
  try {
    await core.getContainer(read, { containerTag });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "not_found") throw error;
    throw new AppError(
      "not_found",
      `There is no container ${printableLine(containerTag)}. \`containers\` lists the existing ones.`,
      { cause: error },
    );
  }
}
