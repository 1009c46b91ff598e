import type { Visitor } from "./auth.js";
import { callerAddressOf, type TrustedProxies } from "./caller-address.js";

/** What is known about a request's connection; absent in a call without a socket, which then counts as remote. */
export interface HttpBindings {
  readonly incoming?: {
    readonly httpVersion?: string | undefined;
    readonly socket: { readonly remoteAddress?: string | undefined };
  };
  /** True when the server listens on a loopback address only. */
  readonly isLoopbackOnly?: boolean;
  /** The port that the server listens on. */
  readonly port?: number;
  /** Aborted when the server is about to close. */
  readonly closing?: AbortSignal;
}

/** Who needs no key, and whom to trust about where a request is from. */
export interface AccessRules {
  /** True: programs on this machine need a key too. */
  readonly isKeylessOff?: boolean | undefined;
  readonly trustedProxies?: TrustedProxies | undefined;
}

/** The sender of a request, as far as its headers and connection show. */
export function visitorOf(
  { headers }: Pick<Request, "headers">,
  bindings: HttpBindings | undefined,
  access: AccessRules | undefined,
): Visitor {
  const peerAddress = bindings?.incoming?.socket.remoteAddress;
  return {
    headers,
    peerAddress,
    callerAddress: callerAddressOf(headers, peerAddress, access?.trustedProxies),
    httpVersion: bindings?.incoming?.httpVersion,
    isLoopbackOnly: bindings?.isLoopbackOnly ?? false,
    port: bindings?.port,
  };
}
