import { afterEach, beforeEach, expect, test } from "vitest";
import { createOneDriveConnector } from "../../src/connectors/onedrive/onedrive.js";
import { mirrorSource } from "../support/mirrored-source.js";
import { type ScriptedOneDrive, startScriptedOneDrive } from "../support/scripted-onedrive.js";
import { sourceAccess } from "../support/source-access.js";

let drive: ScriptedOneDrive;
beforeEach(async () => {
  drive = await startScriptedOneDrive("good");
});
afterEach(() => drive.close());

test.each([400, 410])("a folder page that OneDrive no longer knows (%s) is listed again", async (status) => {
  const connector = createOneDriveConnector({ baseUrl: drive.url });
  const source = mirrorSource(connector, (known) =>
    sourceAccess(connector, { token: "good", maximumBytes: 1_000_000, known }),
  );
  const folder = await drive.put("folder", "", { isFolder: true });
  for (let count = 1; count <= 5; count += 1) await drive.put(`${count}.txt`, `text ${count}`, { parent: folder });
  await source.sync();
  await drive.rename(folder, "renamed");
  // The run ends in the middle of the folder, and resumes after the link to the next page has expired.
  while (!(await source.sync({ stopAfter: 1 })) && !drive.calls.some(({ query }) => query.has("$skiptoken")))
    if (JSON.stringify(source.pages.at(-1)?.checkpoint).includes("skiptoken")) break;
  expect(JSON.stringify(source.pages.at(-1)?.checkpoint)).toContain("skiptoken");
  drive.fail({ kind: "status", status, path: /children/ }, 1);
  await source.sync().catch(() => undefined);
  // Every later run requests the same page.
  drive.fail({ kind: "status", status, path: /children/ }, 1);
  await source.sync();
});
