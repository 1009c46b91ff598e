import { basename } from "node:path";
import { createS3Connector } from "../../../src/connectors/s3/s3.js";
import type { FollowedProvider } from "../followed-source.js";
import { S3_KEYS, startS3 } from "../scripted-s3.js";

const BUCKET = "papers";
const KEYS_OF_A_PAGE = 3;

/** A bucket that lists three keys at a time. */
export const S3: FollowedProvider = {
  provider: "s3",
  nameOf: (count) => `shelf ${count % 3}/nöte+${count}.md`,
  async start() {
    const store = await startS3(BUCKET, KEYS_OF_A_PAGE);
    const idOf = (key: string): string => `s3://${BUCKET}/${key}`;
    const keyOf = (id: string): string => id.slice(idOf("").length);
    const put = (key: string, text: string): string => {
      store.put(key, text, "text/markdown");
      return idOf(key);
    };
    return {
      connector: createS3Connector(),
      metadata: { ...S3_KEYS, bucket: BUCKET, endpoint: store.url },
      put: (name, text) => Promise.resolve(put(name, text)),
      edit: ({ id }, text) => Promise.resolve(put(keyOf(id), text)),
      rename({ id, texts: [text = ""] }, name) {
        store.objects.delete(keyOf(id));
        return Promise.resolve(put(name, text));
      },
      remove: ({ id }) => Promise.resolve(void store.objects.delete(keyOf(id))),
      restore: ({ id, texts: [text = ""] }) => Promise.resolve(put(keyOf(id), text) === id),
      titleOf: ({ id }) => basename(id),
      forbid: ({ id }) => void store.forbidden.add(keyOf(id)),
      fail(fault, after) {
        store.fail("pass", after);
        if (fault.kind === "cut") return store.fail("cut", 1);
        const { status, retryAfter } = fault;
        // Expired keys are answered with 400.
        if (status === 401) return store.fail(400, 1);
        store.fail(retryAfter === undefined ? status : { status, retryAfter }, 1);
      },
      heal: () => store.heal(),
      requests: () => store.requests.length,
      // There is no change feed: all keys are listed.
      least: (count) => Math.max(1, Math.ceil(count / KEYS_OF_A_PAGE)),
      close: () => store.close(),
    };
  },
};
