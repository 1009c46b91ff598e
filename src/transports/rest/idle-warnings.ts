import type { Endpoint } from "./endpoint.js";

/** Warnings about fields that the operation accepts, because clients send them, but that have no effect. */
export function idleWarnings({ idle = {} }: Endpoint, body: unknown): string[] {
  const fields: Readonly<Record<string, unknown>> = Object(body);
  const isGiven = (name: string) => fields[name] !== undefined && fields[name] !== null;
  return Object.entries(idle).flatMap(([name, why]) => {
    if (!isGiven(name)) return [];
    if (typeof why === "string") return [`${name}: has no effect: ${why}`];
    return isGiven(why.without) ? [] : [`${name}: has no effect without ${why.without}`];
  });
}
