import { afterEach, beforeEach, expect, test } from "vitest";
import { FileBytes } from "../../src/core/index.js";
import { openCore, type OpenedCore } from "../support/open-core.js";

let opened: OpenedCore;
beforeEach(async () => {
  opened = await openCore();
});
afterEach(() => opened.close());

function mailbox(...texts: readonly string[]): FileBytes {
  const mails = texts.map(
    (text) => `From a@example.com Thu Jan  1 00:00:00 1970\nFrom: ann@example.com\nSubject: The orchard\n\n${text}\n\n`,
  );
  return new FileBytes(Buffer.from(mails.join("")));
}

async function upload(bytes: FileBytes, title?: string): Promise<string | null> {
  const { core, actor } = opened;
  const document = { containerTags: ["farm"], customId: "thread", ...(title !== undefined && { title }) };
  const { id } = await core.addFile(
    { actor },
    { bytes, name: "thread.mbox", contentType: "application/mbox", document },
  );
  await opened.settle();
  return (await core.getDocument({ actor }, { id })).document.title;
}

test("an explicit title stays when the file is read again, even if its text begins with the same words", async () => {
  const first = "Forty pear trees stand behind the house.";
  expect(await upload(mailbox(first), "The orchard")).toBe("The orchard");
  expect(await upload(mailbox(first, "They bear well."), "The orchard")).toBe("The orchard");
  expect(await upload(mailbox(first, "They bear well.", "All are sold."), "The orchard")).toBe("The orchard");
});
