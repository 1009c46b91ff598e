import type { BlobStore } from "../../core/ports.js";

/**
 * Files in a bucket, and those that were stored in the data folder before the bucket was set: these can still be read, and are
 * removed from there with their documents.
 */
export function createBucketAndFolderBlobs(bucket: BlobStore, folder: BlobStore): BlobStore {
  return {
    put: (key, bytes) => bucket.put(key, bytes),
    keep: (key, path) => bucket.keep(key, path),
    pathOf: async (key) => (await bucket.pathOf(key)) ?? folder.pathOf(key),
    read: async (key, start, length) =>
      (await bucket.read(key, start, length)) ?? (await folder.read(key, start, length)),
    async remove(key) {
      await folder.remove(key);
      await bucket.remove(key);
    },
    problem: () => bucket.problem(),
    async list() {
      const listed = await bucket.list();
      const keys = new Set(listed.map(({ key }) => key));
      return [...listed, ...(await folder.list()).filter(({ key }) => !keys.has(key))];
    },
  };
}
