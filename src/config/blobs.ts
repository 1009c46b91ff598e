import { z } from "zod";
import { httpUrl, setting } from "./setting.js";

const BUCKET_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9!_.*'()/-]*?))?\/?$/;
const DEFAULT_REGION = "us-east-1";

/** The settings for the storage of uploaded files. */
export const BLOB_SETTINGS = {
  RECOLLECT_BLOBS: setting({
    schema: z
      .string()
      .regex(
        BUCKET_URL,
        "must look like s3://bucket or s3://bucket/prefix, with a bucket name of 3 to 63 lower-case letters, digits, dots and hyphens",
      )
      .transform((url) => {
        const [, bucket = "", prefix = ""] = BUCKET_URL.exec(url) ?? [];
        return { bucket, prefix };
      }),
    description:
      "Keeps uploaded files in a bucket instead of the data folder: `s3://bucket` or `s3://bucket/prefix` at Amazon S3 or a compatible store. `recollect backup` then does not copy them.",
  }),
  AWS_ENDPOINT_URL_S3: setting({
    schema: httpUrl(),
    description:
      "URL of an S3-compatible store, such as `http://minio:9000`. Defaults to Amazon's for the region. The bucket is part of the path.",
  }),
  AWS_REGION: setting({
    schema: z.string().regex(/^[a-z0-9-]{1,40}$/, "must be a region such as eu-central-1"),
    fallback: DEFAULT_REGION,
    description: "Region of the bucket.",
  }),
  AWS_ACCESS_KEY_ID: setting({ schema: z.string(), description: "Access key for the bucket." }),
  AWS_SECRET_ACCESS_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "Secret of that access key.",
  }),
  AWS_SESSION_TOKEN: setting({
    schema: z.string(),
    isSecret: true,
    description: "Session token, for temporary access keys.",
  }),
};

/** A bucket in which uploaded files are kept. */
export interface BucketConfig {
  readonly bucket: string;
  /** Prefix of all keys; without a trailing slash, "" for none. */
  readonly prefix: string;
  /** URL of the bucket, without a trailing slash. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

type BlobValues = {
  readonly [Name in keyof typeof BLOB_SETTINGS]: z.infer<(typeof BLOB_SETTINGS)[Name]["schema"]> | undefined;
};

/** The configured bucket; undefined when uploaded files stay in the data folder. */
export function chooseBucket(values: BlobValues): BucketConfig | undefined {
  const { RECOLLECT_BLOBS: place, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = values;
  if (place === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const region = values.AWS_REGION ?? DEFAULT_REGION;
  const endpoint = values.AWS_ENDPOINT_URL_S3 ?? `https://s3.${region}.amazonaws.com`;
  return {
    ...place,
    url: `${endpoint.replace(/\/$/, "")}/${place.bucket}`,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken: values.AWS_SESSION_TOKEN,
  };
}

/** Missing settings for the bucket, as sentences that name them. */
export function findBlobProblems(values: BlobValues): string[] {
  if (values.RECOLLECT_BLOBS === undefined) return [];
  return (["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] as const)
    .filter((name) => values[name] === undefined)
    .map((name) => `RECOLLECT_BLOBS is set, but ${name} is not. Set ${name}, or remove RECOLLECT_BLOBS.`);
}
