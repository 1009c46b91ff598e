import type { Actor } from "../../core/types.js";

/** What the transport that answers a request has learnt about it, without any of its content. */
export interface RequestFacts {
  /** Pattern of its path, one of ours: never the caller's own text. */
  readonly route?: string | undefined;
  readonly actor?: Actor | undefined;
  /** The only container that it names. */
  readonly container?: string | undefined;
  /** True where its operation has its own lines in the log. */
  readonly isLogged?: boolean | undefined;
}

const known = new WeakMap<Request, RequestFacts>();

/** Adds to what is known about a request. */
export function learnOf(request: Request, facts: RequestFacts): void {
  known.set(request, { ...known.get(request), ...facts });
}

/** What is known about a request so far. */
export function factsOf(request: Request): RequestFacts {
  return known.get(request) ?? {};
}
