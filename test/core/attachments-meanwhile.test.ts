import { afterEach, beforeEach, expect, test } from "vitest";
import type { ContentExtractor } from "../../src/core/documents/content-ports.js";
import { extracted } from "../../src/extractors/extracted.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const WORDS = "The heron statue stands on pier nine.";

/** Reads every file that is not text as a mail with one attachment, after `meanwhile`. */
class MailExtractor implements ContentExtractor {
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  text = "See the file.";
  readonly endings = ["eml"];

  programs = () => Promise.resolve([]);
  accepts = ({ mimeType }: { mimeType: string | null }) => Promise.resolve(mimeType === "message/rfc822");
  close = () => Promise.resolve();
  async extract() {
    await this.meanwhile();
    const attachments = [{ name: "heron.txt", mimeType: "text/plain", bytes: Buffer.from(WORDS) }];
    return extracted("text", [{ text: this.text, place: {} }], { attachments });
  }
}

let extractor: MailExtractor;
let opened: ManualCore;
beforeEach(async () => {
  extractor = new MailExtractor();
  opened = await openManualCore({ extractor });
});
afterEach(() => opened.close());

const upload = () =>
  opened.core.addFile(opened.call(), {
    bytes: Buffer.from("From: Ada").toString("base64"),
    mimeType: "message/rfc822",
    document: { containerTags: ["port"], customId: "mail" },
  });
const total = async () => (await opened.core.listDocuments(opened.call(), {})).total;
const kept = () => findInFiles(`${opened.dataDirectory}/files`, [WORDS]).length;

test("stores the file attached to a mail", async () => {
  await upload();
  await opened.settle();
  expect([await total(), kept()]).toEqual([2, 1]);
});

test("stores no attachment when the mail is replaced while it is read", async () => {
  extractor.meanwhile = () =>
    opened.core.addDocument(opened.call(), { content: "No mail.", customId: "mail", containerTags: ["port"] });
  await upload();
  await opened.settle();
  expect([await total(), kept()]).toEqual([1, 0]);
});

test("stores no attachment when the text of the mail cannot be stored", async () => {
  extractor.text = " ";
  const { id } = await upload();
  await opened.settle();
  expect((await opened.core.getDocument(opened.call(), { id })).document.status).toBe("failed");
  expect([await total(), kept()]).toEqual([1, 0]);
});

test("stores the attachment in the container that the mail was moved to in the meantime", async () => {
  extractor.meanwhile = () => opened.core.updateDocument(opened.call(), { id: "mail", containerTags: ["town"] });
  await upload();
  await opened.settle();
  const { documents } = await opened.core.listDocuments(opened.call(), { containerTags: ["town"] });
  expect(documents.map(({ title }) => title)).toContain("heron.txt");
});

test("deleting an attachment keeps its mail", async () => {
  const { id } = await upload();
  await opened.settle();
  const { documents } = await opened.core.listDocuments(opened.call(), {});
  const attached = documents.find((document) => document.id !== id);
  expect(attached?.metadata).toMatchObject({ attachedTo: id });
  await opened.core.deleteDocument(opened.call(), { id: attached?.id });
  expect([await total(), kept()]).toEqual([1, 0]);
});
