// Node.js has `fs.globSync` since version 22. The conformance suite imports it by name, and calls it for reports only.
import { register } from "node:module";

const SUBSTITUTE = `
  import fs from "node:fs";
  export * from "node:fs";
  export default fs;
  export const globSync = () => { throw new Error("Node.js 22 is needed for this"); };
`;
const HOOKS = `
  export async function resolve(specifier, context, next) {
    if (specifier !== "fs" || !context.parentURL?.includes("/@modelcontextprotocol/conformance/")) return next(specifier, context);
    return { url: ${JSON.stringify(asUrl(SUBSTITUTE))}, shortCircuit: true };
  }
`;

register(asUrl(HOOKS));

function asUrl(code) {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
