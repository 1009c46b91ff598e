import { createRequire } from "node:module";

/** A package as resolved by `@supermemory/tools`, in the version that it was published with. */
export function requireFromTools(name: string): unknown {
  const here = createRequire(import.meta.url);
  return createRequire(here.resolve("@supermemory/tools/package.json"))(name);
}
