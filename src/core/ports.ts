export type * from "./documents/blob-ports.js";
export type * from "./documents/transcriber-ports.js";
export type * from "./embeddings/embedder-ports.js";
export type * from "./search/vector-ports.js";
export type * from "./memories/fact-extractor-ports.js";
export type * from "./model-ports.js";
export type * from "./job-ports.js";
export type * from "./journal/audit-ports.js";
export type * from "./access/key-ports.js";
export type * from "./access/mail-ports.js";
export type * from "./usage/ports.js";
export type * from "./access/device-ports.js";
export type * from "./embeddings/ports.js";
export type * from "./access/oauth-ports.js";
export type * from "./search/rerank-ports.js";
export type * from "./access/sign-in-ports.js";
export type * from "./journal/ports.js";
export type * from "./documents/fetch-ports.js";
export type * from "./connections/connector-ports.js";
export type * from "./connections/secret-ports.js";
export type * from "./documents/language-ports.js";
export type * from "./documents/message-picture-ports.js";
export type * from "./documents/model-failure-ports.js";
export type * from "./store-ports.js";
export type * from "./profile/ports.js";

/** The current time. One port, so that tests can move time. */
export interface Clock {
  now(): Date;
}

/** Structured log on standard error. Fields contain ids and numbers, never content or keys. */
export interface Log {
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void;
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}
