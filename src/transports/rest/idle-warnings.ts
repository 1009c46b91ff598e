import type { Endpoint, SearchMode } from "./endpoint.js";

/** Warnings about fields that the operation accepts, because clients send them, but that have no effect. */
export function idleWarnings(endpoint: Endpoint, body: unknown, usual: { readonly searchMode: SearchMode }): string[] {
  const { idle = {} } = endpoint;
  const fields: Readonly<Record<string, unknown>> = Object(body);
  const isGiven = (name: string) => fields[name] !== undefined && fields[name] !== null;
  const always = Object.entries(idle).flatMap(([name, why]) => {
    if (!isGiven(name)) return [];
    if (typeof why === "string") return [`${name}: has no effect: ${why}`];
    return isGiven(why.without) ? [] : [`${name}: has no effect without ${why.without}`];
  });
  return [...always, ...(endpoint.idleBeside?.(body, usual) ?? [])];
}
