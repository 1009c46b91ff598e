import { expect, test } from "vitest";
import { createFolderConnector } from "../../src/connectors/folder.js";
import { createGithubConnector } from "../../src/connectors/github/github.js";
import { createGmailConnector } from "../../src/connectors/google/gmail/gmail.js";
import { createGoogleDriveConnector } from "../../src/connectors/google/drive/google-drive.js";
import { createGranolaConnector } from "../../src/connectors/granola.js";
import { createImapConnector } from "../../src/connectors/imap/imap.js";
import { createNotionConnector } from "../../src/connectors/notion/notion.js";
import { createOneDriveConnector } from "../../src/connectors/onedrive/onedrive.js";
import { createS3Connector } from "../../src/connectors/s3/s3.js";
import { createWebCrawlerConnector } from "../../src/connectors/web-crawler/web-crawler.js";
import type { SourceAccess } from "../../src/core/ports.js";

/* A checkpoint that an older version has kept, in another form. */
test.each([
  createFolderConnector({ roots: ["/tmp"] }),
  createGithubConnector({}),
  createGmailConnector(),
  createGoogleDriveConnector(),
  createGranolaConnector(),
  createImapConnector(),
  createNotionConnector({}),
  createOneDriveConnector(),
  createS3Connector(),
  createWebCrawlerConnector(),
])("$provider lists everything when it cannot read its checkpoint", async (connector) => {
  const access = {
    settings: { syncScope: "full", host: "localhost" },
    secrets: {},
    resources: [],
    signal: new AbortController().signal,
    resolveHost: () => Promise.resolve("127.0.0.1"),
  } as unknown as SourceAccess;
  const run = async () => {
    for await (const _page of connector.changes(access, { of: "another version" })) return;
  };
  await expect(run()).rejects.toMatchObject({ name: "CheckpointExpired" });
});
