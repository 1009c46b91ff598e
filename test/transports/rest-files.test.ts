import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { encodeForm, rawForm, type EncodedForm } from "../support/forms.js";
import { LOOPBACK, openRest, type OpenedRest } from "../support/rest.js";

const MAX_TEXT_BYTES = 100_000;
const MAX_FILE_BYTES = 200_000;
const HOST = "127.0.0.1:6767";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({
    maxTextBytes: MAX_TEXT_BYTES,
    settings: {
      RECOLLECT_MAX_TEXT_BYTES: String(MAX_TEXT_BYTES),
      RECOLLECT_MAX_FILE_BYTES: String(MAX_FILE_BYTES),
      RECOLLECT_MAX_METADATA_BYTES: "1000",
    },
  });
});
afterAll(() => rest.close());

const send = ({ bytes, headers }: EncodedForm) => rest.send("POST", "/v3/documents/file", bytes, { ...headers });
const upload = async (fields: Parameters<typeof encodeForm>[0]) => send(await encodeForm(fields));
const get = async (id: string) => (await rest.send("GET", `/v3/documents/${encodeURIComponent(id)}`)).body;
const fileUrl = async (id: string) => (await rest.send("GET", `/v3/documents/${id}/file-url`)).body.url as string;
interface Download {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const download = async (url: string, init: Download = {}) => {
  const { pathname, search } = new URL(url);
  return rest.app.request(pathname + search, { ...init, headers: { host: HOST, ...init.headers } }, LOOPBACK);
};
const file = (bytes: string | Uint8Array, name: string, type = "") => new File([bytes], name, { type });

describe("POST /v3/documents/file", () => {
  test("turns a text file into a searchable document named after its file", async () => {
    const { status, body } = await upload({
      file: file("# Bees\n\nAda keeps eleven beehives on the roof.", "bees.md", "text/markdown"),
      containerTag: "file:1",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: expect.any(String), status: "queued" });
    await rest.settle();
    expect(await get(body.id)).toMatchObject({
      status: "done",
      type: "text",
      title: "bees.md",
      content: "# Bees\n\nAda keeps eleven beehives on the roof.",
      containerTags: ["file:1"],
      url: expect.stringMatching(/^http:\/\/[^/]+\/files\/[1-9A-HJ-NP-Za-km-z]{22}$/),
    });
    const found = await rest.send("POST", "/v4/search", { q: "eleven beehives", containerTag: "file:1" });
    expect(found.body.results.length).toBeGreaterThan(0);
  });

  test("passes every form field to the document", async () => {
    const { body } = await upload({
      file: file("Everything is set.", "plain.txt", "text/plain"),
      containerTags: '["file:2","file:3"]',
      customId: "upload/1",
      title: "A title",
      metadata: '{"team":"core","level":3,"tags":["x","y"]}',
      filterByMetadata: '{"team":"core"}',
      filepath: "/docs/plain.txt",
      taskType: "superrag",
      dreaming: "instant",
      entityContext: "About settings.",
      fileType: "text",
      mimeType: "text/plain",
      useAdvancedProcessing: "true",
      somethingElse: "ignored",
    });
    expect(await get("upload/1")).toMatchObject({
      id: body.id,
      title: "A title",
      containerTags: ["file:2", "file:3"],
      metadata: { team: "core", level: 3, tags: ["x", "y"] },
      filepath: "/docs/plain.txt",
      taskType: "superrag",
    });
  });

  test.each<[what: string, tags: string | string[], expected: string[]]>([
    ["one tag", "file:4", ["file:4"]],
    ["a JSON array", '["file:4","file:5"]', ["file:4", "file:5"]],
    ["a repeated field", ["file:5", "file:4"], ["file:5", "file:4"]],
  ])("accepts containerTags as %s", async (_what, containerTags, expected) => {
    const { body } = await upload({ file: file("Tagged.", "a.txt"), containerTags });
    expect((await get(body.id)).containerTags).toEqual(expected);
  });

  test("treats an empty field as absent", async () => {
    const { status, body } = await upload({
      file: file("Nothing else.", "a.txt"),
      containerTag: "",
      customId: "",
      metadata: "",
      title: "",
      fileType: "",
      mimeType: "",
    });
    expect(status).toBe(200);
    expect(await get(body.id)).toMatchObject({ customId: null, metadata: null, title: "a.txt" });
  });

  test("Prefer: wait answers once search finds the text", async () => {
    const { bytes, headers } = await encodeForm({ file: file("Wait for me.", "a.txt") });
    const { headers: answered, body } = await rest.send("POST", "/v3/documents/file", bytes, {
      ...headers,
      prefer: "wait=20",
    });
    expect(answered.get("preference-applied")).toBe("wait=20");
    expect(body).toMatchObject({ status: "done", dreamingStatus: "done" });
  });

  test("uses the first of several files", async () => {
    const { body } = await upload({ file: [file("The first.", "1.txt"), file("The second.", "2.txt")] });
    expect(await get(body.id)).toMatchObject({ content: "The first.", title: "1.txt" });
  });

  test("keeps the letters of file names, drops folders, and ignores placeholder names of libraries", async () => {
    const titleOf = async (name: string) => {
      const { body } = await upload({ file: file("A line of text.", name) });
      await rest.settle();
      return (await get(body.id)).title;
    };
    expect(await titleOf("Bücher “für” 猫.txt")).toBe("Bücher “für” 猫.txt");
    expect(await titleOf('with "quotes".txt')).toBe('with "quotes".txt');
    expect(await titleOf("../../etc/passwd")).toBe("passwd");
    expect(await titleOf("C:\\notes\\day.txt")).toBe("day.txt");
    expect(await titleOf("unknown_file")).toBe("A line of text.");
  });

  const utf16 = (text: string, order: "le" | "be") => {
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
    return order === "le" ? bytes : bytes.swap16();
  };
  test.each<[what: string, bytes: string | Uint8Array, name: string, type: string, text: string]>([
    ["YAML", "a: 1", "t.yaml", "application/yaml", "a: 1"],
    ["TypeScript with the type of a video", "let a = 1;", "t.ts", "video/mp2t", "let a = 1;"],
    ["code without a type", "print(1)", "t.py", "", "print(1)"],
    ["text with an unknown type", "a: b", "t.conf", "application/x-config", "a: b"],
    ["text with an unknown name and type", "Just text.", "README", "application/octet-stream", "Just text."],
    ["UTF-8 with a byte order mark", "\ufeffMarked.", "t.txt", "text/plain", "Marked."],
    ["UTF-16, little-endian", utf16("Größe: 猫", "le"), "t.txt", "text/plain", "Größe: 猫"],
    ["UTF-16, big-endian", utf16("Größe: 猫", "be"), "t.txt", "text/plain", "Größe: 猫"],
  ])("reads %s", async (_what, bytes, name, type, text) => {
    const { status, body } = await upload({ file: file(bytes, name, type) });
    expect(status).toBe(200);
    expect((await get(body.id)).content).toBe(text);
  });

  test("reads HTML as the page it shows", async () => {
    const { body } = await upload({ file: file("<p>Hi</p><script>x</script>", "t.html", "text/html; charset=utf-8") });
    await rest.settle();
    expect(await get(body.id)).toMatchObject({ status: "done", type: "webpage", content: "Hi" });
  });

  test.each<[what: string, bytes: string, name: string, type: string, text: string]>([
    ["CSV as a table", "a,b\n1,2", "t.csv", "text/csv", "| a | b |"],
    ["JSON as names and values", '{"harbour":"west"}', "t.json", "application/json", "west"],
    ["the text of an SVG", "<svg><text>Quay</text></svg>", "t.svg", "image/svg+xml", "Quay"],
    ["text labelled as an image", "not an image", "a.png", "image/png", "not an image"],
    ["an RTF document labelled as text", "{\\rtf1\\ansi Hi}", "a.txt", "text/plain", "Hi"],
  ])("reads %s", async (_what, bytes, name, type, text) => {
    const { body } = await upload({ file: file(bytes, name, type) });
    await rest.settle();
    const { status, content } = await get(body.id);
    expect({ status, content }).toEqual({ status: "done", content: expect.stringContaining(text) });
  });

  const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  test.each<[what: string, bytes: string | Uint8Array, name: string, type: string, words: RegExp]>([
    ["a truncated PDF", "%PDF-1.7\n1 0 obj", "a.pdf", "application/pdf", /PDF is damaged/],
    ["a truncated PDF labelled as text", "%PDF-1.7\n1 0 obj", "a.txt", "text/plain", /PDF is damaged/],
    ["a truncated image", PNG, "a.png", "image/png", /picture/],
    ["a truncated image labelled as text", PNG, "notes.txt", "text/plain", /picture/],
    ["a truncated image without a type", PNG, "a.png", "", /picture/],
    ["a truncated image without a name or type", PNG, "blob", "", /picture/],
  ])("accepts %s, and fails it with a reason", async (_what, bytes, name, type, words) => {
    const { status, body } = await upload({ file: file(bytes, name, type) });
    expect(status).toBe(200);
    await rest.settle();
    const document = await get(body.id);
    expect(document.status).toBe("failed");
    expect(JSON.stringify(document.processingMetadata)).toMatch(words);
  });

  test("replaces text and file when a file is sent again under its customId", async () => {
    const first = await upload({ file: file("Version one.", "v.txt", "text/plain"), customId: "versions" });
    const before = await fileUrl(first.body.id);
    await rest.settle();
    const second = await upload({ file: file("Version two.", "v.txt", "text/plain"), customId: "versions" });
    expect(second.body.id).toBe(first.body.id);
    await rest.settle();
    const after = await fileUrl(first.body.id);
    expect(after).not.toBe(before);
    expect(await (await download(after)).text()).toBe("Version two.");
    expect((await download(before)).status).toBe(404);
    expect(await get("versions")).toMatchObject({ content: "Version two.", url: after.split("?")[0] });
  });

  test("removes a file that is replaced by a text", async () => {
    const { body } = await upload({ file: file("From a file.", "f.txt"), customId: "to-text" });
    const url = await fileUrl(body.id);
    await rest.send("POST", "/v3/documents", { content: "From a text.", customId: "to-text" });
    expect((await rest.send("GET", `/v3/documents/${body.id}/file-url`)).status).toBe(404);
    expect((await download(url)).status).toBe(404);
    expect(await get("to-text")).toMatchObject({ content: "From a text.", url: null });
  });

  test("the older path works as well", async () => {
    const { bytes, headers } = await encodeForm({ file: file("Under its older name.", "a.txt") });
    expect((await rest.send("POST", "/v3/memories/file", bytes, { ...headers })).status).toBe(200);
  });
});

describe("a refused upload leaves nothing behind", () => {
  const kept = async () => ({
    documents: (await rest.send("POST", "/v3/documents/list", {})).body.pagination.totalItems as number,
    files: (await readdir(join(rest.dataDirectory, "files")).catch(() => [])).length,
    uploads: (await readdir(join(rest.dataDirectory, "uploads")).catch(() => [])).length,
  });
  // A file that could not be read is logged as an error.
  const errors = () => rest.log.filter(({ level }) => level === "error").length;
  let before: Awaited<ReturnType<typeof kept>>;
  let errorsBefore: number;
  beforeAll(async () => {
    before = await kept();
    errorsBefore = errors();
  });
  afterEach(async () => {
    expect(await kept()).toEqual(before);
    expect(errors()).toBe(errorsBefore);
  });

  test.each<[what: string, bytes: string | Uint8Array, name: string, type: string, words: RegExp]>([
    ["an archive labelled as CSV", Buffer.from("1f8b0800", "hex"), "a.csv", "text/csv", /is a gzip archive/],
    ["an archive with an unknown type", Buffer.from("PK\u0003\u0004..."), "a", "application/x-own", /is a ZIP/],
    ["an archive recognised by its name", "plain words", "a.zip", "application/octet-stream", /cannot be read/],
    ["audio in an unsupported format", "MThd\u0000\u0000", "a.mid", "audio/midi", /cannot be read/],
    ["text with control characters", "a\u0000b", "a.txt", "text/plain", /control character U\+0000 at position 1/],
    ["text in Latin-1", Buffer.from("Gr\xf6\xdfe", "latin1"), "a.txt", "text/plain", /is not valid UTF-8/],
    ["an unpaired surrogate in UTF-16", Buffer.from("fffe00d8", "hex"), "a.txt", "text/plain", /is not valid|lone/],
  ])("%s: answers 415 and lists the supported formats", async (_what, bytes, name, type, words) => {
    const { status, body } = await upload({ file: file(bytes, name, type) });
    expect(status).toBe(415);
    expect(body.error).toMatch(words);
    expect(body.error).toMatch(/Supported are text in UTF-8.*recordings and videos/);
  });

  test.each([
    ["a.doc", "", ".docx"],
    ["a.XLS", "application/octet-stream", ".xlsx"],
    ["a", "application/vnd.ms-powerpoint", ".pptx"],
  ])("an old Office file %s (%s): answers 415 and names the format to save it as", async (name, type, ending) => {
    const { status, body } = await upload({ file: file(Buffer.from("d0cf11e0a1b11ae1", "hex"), name, type) });
    expect(status).toBe(415);
    expect(body.error).toMatch(new RegExp(`cannot be read\\. Save it as \\${ending} and send that\\.$`));
  });

  test.each<[what: string, fields: Parameters<typeof encodeForm>[0], words: RegExp]>([
    ["no file", { containerTag: "a" }, /file: must be a file/],
    ["a text instead of a file", { file: "only text" }, /file: must be a file/],
    ["an empty file", { file: file("", "a.txt") }, /file: must not be empty/],
    ["a blank file", { file: file(" \n\t", "a.txt") }, /file: must not be empty/],
    ["metadata that is not JSON", { file: file("x", "a.txt"), metadata: "{a:1}" }, /metadata: must be a JSON object/],
    ["metadata that is a list", { file: file("x", "a.txt"), metadata: "[1]" }, /metadata: must be an object/],
    [
      "a metadata key that objects have",
      { file: file("x", "a.txt"), metadata: '{"__proto__":"x"}' },
      /metadata.__proto__/,
    ],
    ["nested metadata", { file: file("x", "a.txt"), metadata: '{"a":{"b":1}}' }, /metadata.a: must be a string, a/],
    ["an image without a type", { file: file("x", "a"), fileType: "image" }, /mimeType: is required when fileType is/],
    ["an unknown file type", { file: file("x", "a.txt"), fileType: "hologram" }, /fileType: must be one of text, pdf/],
    ["an invalid type", { file: file("x", "a.txt"), mimeType: "text" }, /mimeType: must look like text\/plain/],
    ["a repeated title", { file: file("x", "a.txt"), title: ["a", "b"] }, /title: must be a string/],
    ["an invalid tag", { file: file("x", "a.txt"), containerTags: '["a b"]' }, /containerTags.0: must contain only/],
    ["an unknown task type", { file: file("x", "a.txt"), taskType: "x" }, /taskType: /],
  ])("%s: answers 400 and names field and rule", async (_what, fields, words) => {
    const { status, body } = await upload(fields);
    expect(status).toBe(400);
    expect(body.error).toMatch(words);
  });

  test("too large: answers 413 and names the setting", async () => {
    const large = await upload({ file: file("x".repeat(MAX_FILE_BYTES + 1), "a.txt", "text/plain") });
    expect(large.status).toBe(413);
    expect(large.body.error).toMatch(/200001 bytes, at most 200000 .*RECOLLECT_MAX_FILE_BYTES/);
    const huge = await upload({ file: file("x".repeat(MAX_FILE_BYTES * 3), "a.txt", "text/plain") });
    expect(huge.status).toBe(413);
    expect(huge.body.error).toMatch(/RECOLLECT_MAX_FILE_BYTES/);
    const text = await upload({ file: file("x".repeat(MAX_TEXT_BYTES + 1), "a.txt", "text/plain") });
    expect(text.status).toBe(413);
    expect(text.body.error).toMatch(/content: has 100001 bytes.*RECOLLECT_MAX_TEXT_BYTES/);
    const metadata = await upload({
      file: file("x", "a.txt"),
      metadata: JSON.stringify({ a: "x".repeat(1_000) }),
    });
    expect(metadata.status).toBe(413);
  });

  test("fields beside the file that are too long: answers 413, even when they come first", async () => {
    const { status, body } = await upload({ note: "x".repeat(MAX_FILE_BYTES), file: file("x", "a.txt") });
    expect(status).toBe(413);
    expect(body.error).toMatch(/note: the fields other than the file have more than \d+ bytes in total/);
  });

  test("reads an endless body no further than the limit", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const { headers } = rawForm();
    const request = { method: "POST", body, headers: { host: HOST, ...headers }, duplex: "half" };
    const answer = await rest.app.request("/v3/documents/file", request as RequestInit, LOOPBACK);
    expect(answer.status).toBe(413);
    expect(sent).toBeLessThan(3 * MAX_FILE_BYTES);
  });

  const PART = ['content-disposition: form-data; name="file"; filename="a.txt"', "", "text"];
  const FIELD = (name: string) => ["--x", `content-disposition: form-data; name="${name}"`, "", "v"];
  test.each<[what: string, form: EncodedForm, words: RegExp]>([
    ["an empty body", rawForm(), /boundary of the content-type does not occur/],
    ["another boundary", rawForm("--y", ...PART, "--y--"), /boundary of the content-type does not occur/],
    ["a body truncated inside a part", rawForm("--x", ...PART), /ends before its last part is complete/],
    ["a body truncated inside headers", rawForm("--x", "content-disposition: form"), /ends before its last part/],
    ["a part without headers", rawForm("--x", "", "text", "--x--"), /part 1 has no name/],
    ["a part of headers only", rawForm("--x", "a: b", "--x--"), /part 1 has no empty line after its headers/],
    ["a part without a name", rawForm("--x", "content-disposition: form-data", "", "v", "--x--"), /part 1 has no name/],
    ["an empty name", rawForm(...FIELD(""), "--x--"), /part 1 has no name/],
    ["another disposition", rawForm("--x", 'content-disposition: inline; name="a"', "", "v", "--x--"), /no name/],
    ["no part", rawForm("--x--"), /file: must be a file/],
    ["thousands of parts", rawForm(...Array.from({ length: 5_000 }, () => FIELD("a")).flat(), "--x--"), /200 parts/],
    ["headers of 100 KB", rawForm("--x", `a: ${"x".repeat(100_000)}`, ...PART, "--x--"), /headers of part 1 have more/],
    [
      "a field that is not UTF-8",
      rawForm(...FIELD("title").slice(0, 3), Buffer.from([0xff, 0xfe]), "--x", ...PART, "--x--"),
      /title: is not valid UTF-8/,
    ],
    [
      "fields named like object properties",
      rawForm(...FIELD("__proto__"), ...FIELD("constructor"), ...FIELD("toString"), "--x--"),
      /file: must be a file/,
    ],
  ])("%s: answers 400 with a reason", async (_what, form, words) => {
    const { status, body } = await send(form);
    expect(status).toBe(400);
    expect(body.error).toMatch(words);
  });

  test.each<[type: string, status: number, words: RegExp]>([
    ["multipart/form-data", 400, /has no boundary/],
    ["multipart/form-data; boundary=", 400, /has no boundary/],
    [`multipart/form-data; boundary=${"x".repeat(100)}`, 400, /boundary has more than 70 characters/],
    ["multipart/mixed; boundary=x", 415, /content-type multipart\/form-data, not multipart\/mixed/],
    ["application/json", 415, /content-type multipart\/form-data, not application\/json/],
  ])("content-type %s", async (type, status, words) => {
    const answer = await send({ ...rawForm("--x", ...PART, "--x--"), headers: { "content-type": type } });
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(words);
  });
});

describe("accepts the variants that senders may write:", () => {
  const taken = async (...lines: (string | Uint8Array)[]) => {
    const { status, body } = await send(rawForm(...lines));
    expect(status).toBe(200);
    return get(body.id);
  };

  test("words before and after the parts, and blanks after a boundary", async () => {
    const document = await taken(
      "preamble",
      "--x  ",
      'Content-Disposition: form-data; name="file"; filename="a.txt"',
      "Content-Type: text/plain",
      "",
      "one\r\ntwo",
      "--x--",
      "epilogue",
    );
    expect(document).toMatchObject({ content: "one\r\ntwo", title: "a.txt" });
  });

  test("a text that looks like the boundary", async () => {
    const document = await taken(
      "--x",
      "content-disposition: form-data; name=file; filename=a.txt",
      "",
      "--xy\r\n a--x\r\n--x y",
      "--x--",
    );
    expect(document.content).toBe("--xy\r\n a--x\r\n--x y");
  });

  test("a name in the extended notation", async () => {
    const document = await taken(
      "--x",
      'content-disposition: form-data; name="file"; filename="_.txt"; filename*=UTF-8\'\'gr%C3%BCn.txt',
      "",
      "green",
      "--x--",
    );
    expect(document.title).toBe("grün.txt");
  });
});

describe("GET /v3/documents/{id}/file-url and /files/{key}", () => {
  const stored = async (bytes: string | Uint8Array, name: string, type: string) => {
    const { body } = await upload({ file: file(bytes, name, type) });
    return { id: body.id as string, url: await fileUrl(body.id) };
  };

  test("returns exactly the stored bytes, without a key", async () => {
    const bytes = Buffer.from("\ufeffGröße\r\n", "utf16le");
    const { url } = await stored(bytes, "g.txt", "text/plain");
    const answer = await download(url, { headers: { origin: "https://elsewhere.example" } });
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    expect(answer.headers.get("content-length")).toBe(String(bytes.byteLength));
  });

  test("plain text is shown inline, everything else is downloaded; nothing in it may run", async () => {
    const plain = await download((await stored("Hi.", "a b.txt", "text/plain")).url);
    expect(plain.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(plain.headers.get("content-disposition")).toBe(`inline; filename="a b.txt"; filename*=UTF-8''a%20b.txt`);
    const page = await download((await stored("<script>1</script>", "ü.html", "text/html")).url);
    expect(page.headers.get("content-type")).toBe("text/html");
    expect(page.headers.get("content-disposition")).toBe(`attachment; filename="_.html"; filename*=UTF-8''%C3%BC.html`);
    for (const { headers } of [plain, page]) {
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    }
  });

  test("HEAD returns everything but the bytes", async () => {
    const { url } = await stored("0123456789", "n.txt", "text/plain");
    const answer = await download(url, { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-length")).toBe("10");
    expect(answer.headers.get("accept-ranges")).toBe("bytes");
    expect(await answer.text()).toBe("");
  });

  test.each<[range: string, status: number, text: string, described: string | null]>([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", 206, "89", "bytes 8-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=-0", 416, "", "bytes */10"],
    ["bytes=5-2", 200, "0123456789", null],
    ["bytes=0-1,4-5", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["lines=1-2", 200, "0123456789", null],
  ])("range %s", async (range, status, text, described) => {
    const { url } = await stored("0123456789", "n.txt", "text/plain");
    const answer = await download(url, { headers: { range } });
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe(text);
    expect(answer.headers.get("content-range")).toBe(described);
  });

  test("a document without a file, and an unknown one: answers 404", async () => {
    const { body } = await rest.send("POST", "/v3/documents", { content: "No file." });
    const none = await rest.send("GET", `/v3/documents/${body.id}/file-url`);
    expect(none.status).toBe(404);
    expect(none.body.error).toMatch(/has no file/);
    expect((await rest.send("GET", "/v3/documents/nothing/file-url")).status).toBe(404);
  });

  test.each(["nope", "..%2f..%2frecollect.db", "11111111111111111111%00", "1".repeat(22), "x".repeat(5_000)])(
    "the key %s: answers 404 in the usual error format",
    async (key) => {
      const { status, body } = await rest.send("GET", `/files/${key}`);
      expect(status).toBe(404);
      expect(body.error).toMatch(/There is no file at this address|does not serve/);
    },
  );

  test("deleting a document deletes its file", async () => {
    const { id, url } = await stored("Soon gone.", "g.txt", "text/plain");
    const key = new URL(url).pathname.split("/").at(-1) ?? "";
    expect(await readdir(join(rest.dataDirectory, "files"))).toContain(key);
    await rest.send("DELETE", `/v3/documents/${id}`);
    expect((await download(url)).status).toBe(404);
    expect(await readdir(join(rest.dataDirectory, "files"))).not.toContain(key);
  });
});
