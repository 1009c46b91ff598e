import { createId } from "../../lib/ids.js";
import type { CoreContext } from "../context.js";
import type { Check } from "./doctor.js";

const SAMPLE = "The doctor was here.";

/** Stores a few bytes where uploaded files are stored, reads them back and removes them. @throws AppError if that fails */
export async function checkUploads({ blobs }: CoreContext): Promise<Omit<Check, "name">> {
  const key = createId();
  const bytes = Buffer.from(SAMPLE);
  await blobs.put(key, bytes);
  const read = await blobs.read(key, 0, bytes.length);
  await blobs.remove(key);
  if (read !== null && bytes.equals(read)) return { ok: true, detail: "a file was stored, read back and removed" };
  return {
    ok: false,
    detail: "a file that was stored could not be read back",
    fix: "Check the place where uploaded files are stored: the bucket of RECOLLECT_BLOBS, or the disk of the data folder.",
  };
}
