import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningServer } from "../../src/transports/http.js";
import { createId } from "../../src/lib/ids.js";
import { encodeForm } from "../support/forms.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
let server: RunningServer;
/** Grants access to the container `mia` only. */
let mia: string;
/** Grants access to the container `tom` only. */
let tom: string;

beforeAll(async () => {
  rest = await openRest({ settings: { RECOLLECT_KEYLESS: "off" } });
  server = await rest.listen();
  const keyFor = async (containerTag: string) =>
    (await rest.core.createKey({ actor: rest.actor }, { kind: "scoped", grants: [{ containerTag }] })).secret;
  [mia, tom] = [await keyFor("mia"), await keyFor("tom")];
});
afterAll(() => rest.close());

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly key?: string;
}

const request = (path: string, { key, headers, ...init }: Sent = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, {
    ...init,
    headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
  });

const TEXT = "The code of the vault.";

/** Uploads a file to `mia`. @returns its document and the link to it */
async function upload(): Promise<{ id: string; path: string; link: URL }> {
  const { bytes, headers } = await encodeForm({
    file: new File([`${TEXT} ${createId()}`], "vault.txt", { type: "text/plain" }),
    containerTag: "mia",
  });
  const added = await request("/v3/documents/file", {
    method: "POST",
    body: new Uint8Array(bytes),
    headers,
    key: mia,
  });
  const { id } = (await added.json()) as { id: string };
  const answer = await request(`/v3/documents/${id}/file-url`, { key: mia });
  const link = new URL(((await answer.json()) as { url: string }).url);
  return { id, link, path: link.pathname + link.search };
}

describe("the address of a file without a link", () => {
  test("requires a key", async () => {
    const { link } = await upload();
    const { status } = await request(link.pathname);
    expect(status).toBe(401);
    expect((await request(link.pathname, { key: "sm_wrong" })).status).toBe(401);
  });

  test("returns the file to keys that may read the document, and 404 to others", async () => {
    const { link } = await upload();
    const own = await request(link.pathname, { key: mia });
    expect(own.status).toBe(200);
    expect(await own.text()).toContain(TEXT);
    const foreign = await request(link.pathname, { key: tom });
    const nothing = await request(`/files/${createId()}`, { key: tom });
    expect(foreign.status).toBe(404);
    expect(await foreign.text()).toBe(await nothing.text());
  });
});

describe("a link to a file", () => {
  test("returns it without a key, to a page of any site, whole or in ranges", async () => {
    const { path } = await upload();
    const answer = await request(path, { headers: { origin: "https://elsewhere.example" } });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(TEXT);
    const piece = await request(path, { headers: { range: "bytes=0-2" } });
    expect([piece.status, await piece.text()]).toEqual([206, "The"]);
    expect((await request(path, { method: "HEAD" })).status).toBe(200);
  });

  test.each<[what: string, change: (link: URL, other: URL) => void]>([
    ["a later expiry", ({ searchParams }) => searchParams.set("expires", String(Date.now()))],
    ["no expiry", ({ searchParams }) => searchParams.delete("expires")],
    ["an expiry that is not a number", ({ searchParams }) => searchParams.set("expires", "Infinity")],
    ["another signature", ({ searchParams }) => searchParams.set("signature", "A".repeat(43))],
    ["an empty signature", ({ searchParams }) => searchParams.set("signature", "")],
    ["a signature of 10 KB", ({ searchParams }) => searchParams.set("signature", "A".repeat(10_000))],
    ["the path of another file", (link, other) => void (link.pathname = other.pathname)],
    ["the path of an unknown file", (link) => void (link.pathname = `/files/${createId()}`)],
  ])("with %s returns 404", async (_what, change) => {
    const [{ link }, { link: other }] = [await upload(), await upload()];
    change(link, other);
    const answer = await request(link.pathname + link.search);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain(TEXT);
  });

  test("with two signatures is refused", async () => {
    const { path } = await upload();
    expect((await request(`${path}&signature=${"A".repeat(43)}`)).status).toBe(400);
  });

  test("grants access to no other address", async () => {
    const { id, link } = await upload();
    for (const path of [`/v3/documents/${id}`, `/v3/documents/${id}/file-url`, "/v3/documents"])
      expect((await request(path + link.search)).status).toBe(401);
  });

  test("stops working when its document moves to other containers, and when it is deleted", async () => {
    const owner = await rest.ownerKey();
    const { id, path } = await upload();
    await rest.settle();
    await request(`/v3/documents/${id}`, {
      method: "PATCH",
      headers: { ...owner, "content-type": "application/json" },
      body: JSON.stringify({ containerTags: ["tom"] }),
    });
    expect((await request(path)).status).toBe(404);
    const again = await upload();
    await request(`/v3/documents/${again.id}`, { method: "DELETE", key: mia });
    expect((await request(again.path)).status).toBe(404);
  });
});
