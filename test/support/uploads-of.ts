import { openUploads } from "../../src/data-folder.js";
import type { UploadStore } from "../../src/core/index.js";

/** The uploads of a data folder, as seen by each process that serves it. */
export function uploadsOf({ dataDirectory }: { readonly dataDirectory: string }): UploadStore {
  return openUploads(dataDirectory);
}
