import { BlockList, isIP } from "node:net";

/** Hosts, addresses and networks that a list of an owner names. */
export interface AllowedPlaces {
  /** Names in lower case; one that begins with a dot stands for every name that ends so. */
  readonly names: readonly string[];
  readonly networks: BlockList;
}

export const NO_PLACES: AllowedPlaces = { names: [], networks: new BlockList() };

const NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_.-]{0,250}[a-z0-9_])?$/;
/** A number where a top-level domain would be: an address that is written in an odd way, or wrongly. */
const NUMBER_AT_END = /(^|\.)(\d+|0x[0-9a-f]*)$/;

/** Adds an address or a network, such as `10.0.0.0/8`, to a list. @returns false for what is neither */
export function addNetwork(list: BlockList, text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  const bits = prefix === undefined ? 0 : /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
  if (isIP(address) === 0 || more.length > 0 || !(bits <= (family === "ipv6" ? 128 : 32))) return false;
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, bits, family);
  return true;
}

/** Reads host names, names with `*.` before them, addresses and networks. @returns undefined when one of them is none of these */
export function readAllowedPlaces(texts: readonly string[]): AllowedPlaces | undefined {
  const names: string[] = [];
  const networks = new BlockList();
  for (const text of texts.map((one) => one.toLowerCase())) {
    if (addNetwork(networks, text)) continue;
    if (!NAME.test(text) || NUMBER_AT_END.test(text)) return undefined;
    names.push(text.replace(/^\*/, ""));
  }
  return { names, networks };
}

/** True for a host that the list names. @param host as a URL has it */
export function isNameAllowed({ names }: AllowedPlaces, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return names.some((one) => (one.startsWith(".") ? name.endsWith(one) && name !== one : name === one));
}

/** True for an address that lies in one of the networks. */
export function isAddressAllowed({ networks }: AllowedPlaces, address: string): boolean {
  const [bare = ""] = address.split("%");
  const family = isIP(bare);
  return family !== 0 && networks.check(bare, family === 6 ? "ipv6" : "ipv4");
}
