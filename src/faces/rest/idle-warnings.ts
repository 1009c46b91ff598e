import type { Endpoint } from "./endpoint.js";

/** What is said of fields that the operation takes, because clients send them, and that change nothing. */
export function idleWarnings({ idle = {} }: Endpoint, body: unknown): string[] {
  const fields: Readonly<Record<string, unknown>> = Object(body);
  return Object.entries(idle)
    .filter(([name]) => fields[name] !== undefined && fields[name] !== null)
    .map(([name, reason]) => `${name}: has no effect: ${reason}`);
}
