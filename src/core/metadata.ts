/** Metadata as callers write it: flat, with arrays of strings as the only nesting (contract 1.10). */
export type MetadataValue = string | number | boolean | readonly string[];

export type Metadata = Readonly<Record<string, MetadataValue>>;
