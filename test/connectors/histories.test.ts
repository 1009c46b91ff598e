/**
 * Follows random histories of each provider. `CONNECTOR_HISTORIES=300` tries 300 of each, and `-t name` only one provider:
 * `CONNECTOR_HISTORIES=300 npx vitest run test/connectors/histories.test.ts -t google-drive`.
 */
import { describeConnector } from "../contract/connector.js";
import { FOLDER } from "../support/followed/folder.js";
import { GITHUB } from "../support/followed/github.js";
import { GMAIL, GMAIL_SEARCH, GOOGLE_DRIVE, GOOGLE_DRIVE_FOLDER } from "../support/followed/google.js";
import { GRANOLA } from "../support/followed/granola.js";
import { IMAP } from "../support/followed/imap.js";
import { NOTION } from "../support/followed/notion.js";
import { ONEDRIVE } from "../support/followed/onedrive.js";
import { S3 } from "../support/followed/s3.js";
import { WEB_CRAWLER } from "../support/followed/web-crawler.js";

const HISTORIES = Number(process.env["CONNECTOR_HISTORIES"] ?? 2);

const DRIVES = [GOOGLE_DRIVE, GOOGLE_DRIVE_FOLDER, ONEDRIVE];
const OTHERS = [GMAIL, GMAIL_SEARCH, IMAP, NOTION, GRANOLA, WEB_CRAWLER];
for (const provider of [FOLDER, S3, GITHUB, ...DRIVES, ...OTHERS]) describeConnector(provider, HISTORIES);
