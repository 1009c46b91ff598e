import { open } from "node:fs/promises";

/** Makes the names in a folder durable, where the system can: a file that is new is only kept for certain with its name. */
export async function syncFolder(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
