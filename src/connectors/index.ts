import type { Connector } from "../core/ports.js";
import { createGmailConnector } from "./google/gmail/gmail.js";
import { createGoogleDriveConnector } from "./google/drive/google-drive.js";
import { createOneDriveConnector } from "./onedrive/onedrive.js";
import { createGithubConnector } from "./github/github.js";
import { createFolderConnector } from "./folder.js";
import { createGranolaConnector } from "./granola.js";
import { createImapConnector } from "./imap/imap.js";
import { createNotionConnector } from "./notion/notion.js";
import { createS3Connector } from "./s3/s3.js";
import { createWebCrawlerConnector } from "./web-crawler/web-crawler.js";

export interface ConnectorOptions {
  /** Alternative addresses of providers, by name. */
  readonly providerUrls: Readonly<Record<string, string>>;
  /** Folders of this machine that may be read. */
  readonly connectionFolders: readonly string[];
}

/** Every source from which documents can be brought in, by provider name. */
export function createConnectors(
  { providerUrls, connectionFolders: roots }: ConnectorOptions,
  others: readonly Connector[],
): ReadonlyMap<string, Connector> {
  const { github, notion, onedrive, gmail, granola, "google-drive": drive } = providerUrls;
  const connectors = [
    ...(roots.length > 0 ? [createFolderConnector({ roots })] : []),
    createGithubConnector(github === undefined ? {} : { apiUrl: github }),
    createNotionConnector(notion === undefined ? {} : { apiUrl: notion }),
    createGoogleDriveConnector(drive === undefined ? {} : googleAt(drive)),
    createGmailConnector(gmail === undefined ? {} : googleAt(gmail)),
    createOneDriveConnector(onedrive === undefined ? {} : { baseUrl: onedrive, authorityUrl: `${onedrive}/common` }),
    createGranolaConnector(granola === undefined ? {} : { apiUrl: granola }),
    createImapConnector(),
    createS3Connector(),
    createWebCrawlerConnector(),
    ...others,
  ];
  return new Map(connectors.map((connector) => [connector.provider, connector]));
}

/** Google's services, which have several hosts, on a single one. */
function googleAt(baseUrl: string) {
  return { baseUrl, authorizeUrl: `${baseUrl}/o/oauth2/v2/auth`, tokenUrl: `${baseUrl}/token` };
}
