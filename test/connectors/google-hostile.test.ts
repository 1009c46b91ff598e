import { expect, test } from "vitest";
import { createGoogleDriveConnector } from "../../src/connectors/google/drive/google-drive.js";
import { createGmailConnector } from "../../src/connectors/google/gmail/gmail.js";
import type { Connector, SourceContent, SourceItem } from "../../src/core/ports.js";
import { sourceAccess } from "../support/source-access.js";

/** What a connector reads if Google answers every request with this. */
async function readOf(connector: Connector, answer: string, detail?: unknown): Promise<string> {
  const item: SourceItem = { id: "x", version: "1", title: "x", address: null, path: null, detail };
  const { content }: SourceContent = await connector.read(
    {
      ...sourceAccess(connector),
      request: ({ url }) => Promise.resolve({ status: 200, url, headers: {}, bytes: Buffer.from(answer) }),
    },
    item,
  );
  return typeof content === "string" ? content : Buffer.from(content).toString("utf8");
}

const readDoc = (markdown: string): Promise<string> =>
  readOf(createGoogleDriveConnector(), markdown, {
    name: "x",
    mimeType: "application/vnd.google-apps.document",
    size: null,
    modifiedTime: null,
  });

test("unclosed beginnings of pictures take no longer than other text", async () => {
  const opened = "![".repeat(2_000_000);
  const began = performance.now();
  expect(await readDoc(`${opened}\n![a chart][image1]`)).toBe(`${opened}\na chart`);
  expect(performance.now() - began).toBeLessThan(3_000);
});

test("the alternative text of a picture may contain escaped brackets", async () => {
  expect(await readDoc(String.raw`See ![a \[small\] chart][image12], ![one ![two][image2]`)).toBe(
    String.raw`See a \[small\] chart, ![one two`,
  );
});

const encoded = (text: string): string => Buffer.from(text).toString("base64url");
const plain = (text: string): string => `{ "mimeType": "text/plain", "body": { "data": "${encoded(text)}" } }`;
const mixed = (parts: string): string => `{ "mimeType": "multipart/mixed", "parts": [${parts}] }`;
/** @param payloads as JSON text, since they are nested too deeply for JSON.stringify */
const readMails = (...payloads: readonly string[]): Promise<string> => {
  const messages = payloads.map((payload, index) => `{ "id": "m${index}", "payload": ${payload} }`);
  return readOf(createGmailConnector(), `{ "messages": [${messages.join()}] }`);
};

test("a mail with endlessly nested parts does not prevent its thread from being read", async () => {
  let deep = plain("Nobody sees this.");
  for (let level = 0; level < 3_000; level += 1) deep = mixed(deep);
  const mailbox = await readMails(plain("A plain answer."), deep);
  expect(mailbox).toContain("A plain answer.");
  expect(mailbox).toContain("[Parts deeper than 50 levels were left out.]");
  expect(mailbox).not.toContain("Nobody sees this.");
});

test("a mail with more parts than a call may have arguments is read", async () => {
  const parts = Array.from({ length: 150_000 }, () => plain("x")).join();
  expect(await readMails(mixed(mixed(parts)))).toContain("x\n\nx");
});
