import { BlockList, isIP } from "node:net";

/** Hosts, addresses and networks that an owner's list names, for one port or for all. */
interface PlacesAtPort {
  /** Absent: every port. */
  readonly port?: number;
  /** Names in lower case; one with a leading dot stands for every name that ends in it. */
  readonly names: readonly string[];
  readonly networks: BlockList;
}

export type AllowedPlaces = readonly PlacesAtPort[];

export const NO_PLACES: AllowedPlaces = [];

const NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_.-]{0,250}[a-z0-9_])?$/;
/** A number in place of a top-level domain: an address in an unusual or invalid notation. */
const NUMBER_AT_END = /(^|\.)(\d+|0x[0-9a-f]*)$/;
/** A place and a port. IPv6 addresses need brackets, as a colon after one could be part of it. */
const WITH_PORT = /^(?:\[([^[\]]+)\]|([^[\]:]+|[^[\]]+\/\d{1,3})):(\d{1,5})$/;

/** Adds an address or a network, such as `10.0.0.0/8`, to a list. @returns false for anything else */
export function addNetwork(list: BlockList, text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  const bits = prefix === undefined ? 0 : /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
  if (isIP(address) === 0 || more.length > 0 || !(bits <= (family === "ipv6" ? 128 : 32))) return false;
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, bits, family);
  return true;
}

/**
 * Reads host names, names with a leading `*.`, addresses and networks, each with an optional port after a colon.
 * @returns undefined when one of them is none of these
 */
export function readAllowedPlaces(texts: readonly string[]): AllowedPlaces | undefined {
  const byPort = new Map<number | undefined, { port?: number; names: string[]; networks: BlockList }>();
  for (const text of texts.map((one) => one.toLowerCase())) {
    const { place, port } = splitPort(text);
    if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
    const known = byPort.get(port) ?? { ...(port !== undefined && { port }), names: [], networks: new BlockList() };
    byPort.set(port, known);
    if (addNetwork(known.networks, place)) continue;
    if (!NAME.test(place) || NUMBER_AT_END.test(place)) return undefined;
    known.names.push(place.replace(/^\*/, ""));
  }
  return [...byPort.values()];
}

function splitPort(text: string): { readonly place: string; readonly port: number | undefined } {
  const [, inBrackets, bare, digits] = WITH_PORT.exec(text) ?? [];
  const place = inBrackets ?? bare;
  return place === undefined ? { place: text, port: undefined } : { place, port: Number(digits) };
}

/** True for a host that the list names for this port. @param host as in a URL */
export function isNameAllowed(allowed: AllowedPlaces, host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return atPort(allowed, port).some(({ names }) =>
    names.some((one) => (one.startsWith(".") ? name.endsWith(one) && name !== one : name === one)),
  );
}

/** True for an address in one of the networks for this port. */
export function isAddressAllowed(allowed: AllowedPlaces, address: string, port: number): boolean {
  const [bare = ""] = address.split("%");
  const family = isIP(bare);
  if (family === 0) return false;
  return atPort(allowed, port).some(({ networks }) => networks.check(bare, family === 6 ? "ipv6" : "ipv4"));
}

function atPort(allowed: AllowedPlaces, port: number): AllowedPlaces {
  return allowed.filter((places) => places.port === undefined || places.port === port);
}
