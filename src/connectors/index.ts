import type { Connector } from "../core/ports.js";

export interface ConnectorOptions {
  /** Other addresses of providers, by their names. */
  readonly providerUrls: Readonly<Record<string, string>>;
  /** Folders of this machine that may be read. */
  readonly connectionFolders: readonly string[];
}

/** Every source that documents can be brought in from, by the name of its provider. */
export function createConnectors(
  _options: ConnectorOptions,
  others: readonly Connector[],
): ReadonlyMap<string, Connector> {
  return new Map(others.map((connector) => [connector.provider, connector]));
}
