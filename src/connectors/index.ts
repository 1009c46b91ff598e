import type { Connector } from "../core/ports.js";
import { createGithubConnector } from "./github/github.js";
import { createFolderConnector } from "./folder.js";
import { createNotionConnector } from "./notion/notion.js";
import { createS3Connector } from "./s3.js";
import { createWebCrawlerConnector } from "./web-crawler/web-crawler.js";

export interface ConnectorOptions {
  /** Other addresses of providers, by their names. */
  readonly providerUrls: Readonly<Record<string, string>>;
  /** Folders of this machine that may be read. */
  readonly connectionFolders: readonly string[];
}

/** Every source that documents can be brought in from, by the name of its provider. */
export function createConnectors(
  { providerUrls, connectionFolders: roots }: ConnectorOptions,
  others: readonly Connector[],
): ReadonlyMap<string, Connector> {
  const connectors = [
    ...(roots.length > 0 ? [createFolderConnector({ roots })] : []),
    createGithubConnector({ ...(providerUrls["github"] !== undefined && { apiUrl: providerUrls["github"] }) }),
    createNotionConnector({ ...(providerUrls["notion"] !== undefined && { apiUrl: providerUrls["notion"] }) }),
    createS3Connector(),
    createWebCrawlerConnector(),
    ...others,
  ];
  return new Map(connectors.map((connector) => [connector.provider, connector]));
}
