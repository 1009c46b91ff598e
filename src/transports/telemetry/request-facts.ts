import type { Actor } from "../../core/types.js";

/** What the face that answers a request has learnt of it, without anything of what it says. */
export interface RequestFacts {
  /** Pattern of its path, one of ours: never the caller's own words. */
  readonly route?: string | undefined;
  readonly actor?: Actor | undefined;
  /** The only container that it names. */
  readonly container?: string | undefined;
  /** True where what it asks for has lines of its own in the log. */
  readonly isLogged?: boolean | undefined;
}

const known = new WeakMap<Request, RequestFacts>();

/** Adds to what is known of a request. */
export function learnOf(request: Request, facts: RequestFacts): void {
  known.set(request, { ...known.get(request), ...facts });
}

/** What is known of a request so far. */
export function factsOf(request: Request): RequestFacts {
  return known.get(request) ?? {};
}
