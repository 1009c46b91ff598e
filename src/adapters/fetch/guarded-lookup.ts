import { lookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { AppError } from "../../core/errors.js";
import { type AllowedPlaces, isAddressAllowed, isNameAllowed } from "../../lib/allowed-places.js";
import { isIpAddress, isPrivateAddress } from "../../lib/ip-address.js";

/** What decides where a connection may lead. */
export interface FetchGuard {
  /** Private places that may be reached all the same. */
  readonly allowed: AllowedPlaces;
  /** The addresses of this machine: a firewall may keep others from what listens there. */
  readonly ownAddresses: () => readonly string[];
}

export function addressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((found) => found?.map(({ address }) => address) ?? []);
}

/** All addresses of a name. Tests pass their own. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/** Uses the system's resolver, which also knows this machine's own names. */
export const resolveBySystem: ResolveName = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/** Where a connection is to lead. */
export interface Destination {
  /** As in a URL. */
  readonly host: string;
  readonly port: number;
}

export function destinationOf({ protocol, hostname, port }: URL): Destination {
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) };
}

/**
 * A DNS lookup for the connection itself: the addresses that are checked are those that are connected to, so that a name which
 * changes between two lookups gains nothing. A single forbidden address rules out the whole name.
 */
export function guardedLookup(resolve: ResolveName, guard: FetchGuard, { port }: Destination): LookupFunction {
  return (host, options, found) => {
    resolve(host)
      .then((addresses) => {
        for (const { address } of addresses) checkAddress({ host, port }, address, guard);
        const [first] = addresses;
        if (first === undefined) throw noSuchHost(host);
        if (options.all) found(null, [...addresses]);
        else found(null, first.address, first.family);
      })
      .catch((error: unknown) => found(error instanceof Error ? error : new Error(String(error)), "", 0));
  };
}

/** For hosts that are already addresses, which nobody looks up. @throws AppError `forbidden` */
export function checkLiteral(destination: Destination, guard: FetchGuard): void {
  if (isIpAddress(destination.host)) checkAddress(destination, destination.host, guard);
}

export function noSuchHost(host: string): AppError {
  return new AppError("not_found", `There is no host ${host}. Check the address for typing errors.`);
}

function checkAddress({ host, port }: Destination, address: string, { allowed, ownAddresses }: FetchGuard): void {
  const isOwn = ownAddresses().map(bareAddress).includes(bareAddress(address));
  const isOutside = isIpAddress(address) && !isPrivateAddress(address) && !isOwn;
  if (isOutside || isNameAllowed(allowed, host, port) || isAddressAllowed(allowed, address, port)) return;
  // Where a name leads is not disclosed: callers could map the internal network that way.
  throw new AppError(
    "forbidden",
    `${host} was not fetched at port ${port}: it is in a private network or on the machine that this service runs on. To allow it, add the host or its network to RECOLLECT_FETCH_ALLOW, with or without the port.`,
  );
}

/** Without a zone id, and IPv4-mapped addresses as IPv4. */
function bareAddress(address: string): string {
  const [plain = ""] = address.toLowerCase().split("%");
  return plain.replace(/^::ffff:(?=\d+\.)/, "");
}
