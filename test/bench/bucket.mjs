// An S3-like bucket in its own process, with notes as its objects: lists and reads, and checks no signature.
// Its parent can change the objects: it sends numbers of notes, which then get another text.
import { createHash } from "node:crypto";
import http from "node:http";
import { note } from "./corpus.mjs";

const [seed, size] = process.argv.slice(2).map(Number);
const MOST_KEYS = 1_000;
const changes = new Map();
const asked = { listed: 0, read: 0 };

/** Keys in byte order, so that each key's position can be computed. */
const keyOf = (number) =>
  `notes/${Math.floor(number / 1_000)}/`.padEnd(10, "n") + `${String(number).padStart(9, "0")}.txt`;
const keys = Array.from({ length: size }, (_, number) => ({ number, key: keyOf(number) })).sort((one, other) =>
  one.key < other.key ? -1 : 1,
);
const numberOf = new Map(keys.map(({ key, number }) => [key, number]));
const textOf = (number) => `${note(seed, number).text}${changes.get(number) ?? ""}`;
const etagOf = (text) => `"${createHash("md5").update(text).digest("hex")}"`;
const contents = keys.map(({ number }) => describe(number));

function describe(number) {
  const text = textOf(number);
  return `<Contents><Key>${keyOf(number)}</Key><LastModified>2026-03-03T10:00:00.000Z</LastModified><ETag>${etagOf(text).replaceAll('"', "&quot;")}</ETag><Size>${Buffer.byteLength(text)}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
}

function list(query) {
  asked.listed += 1;
  const after = query.get("start-after") ?? "";
  let start = 0;
  for (let end = keys.length; start < end;) {
    const middle = (start + end) >> 1;
    if (keys[middle].key > after) end = middle;
    else start = middle + 1;
  }
  const end = start + Math.min(Number(query.get("max-keys") ?? MOST_KEYS), MOST_KEYS);
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>${end < keys.length}</IsTruncated>${contents.slice(start, end).join("")}</ListBucketResult>`;
}

const server = http.createServer((request, response) => {
  const url = new URL(request.url, "http://bucket");
  const [, , ...key] = url.pathname.split("/");
  if (key.join("/") === "") return void response.end(list(url.searchParams));
  const number = numberOf.get(key.join("/"));
  if (number === undefined) return void response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
  asked.read += 1;
  const text = textOf(number);
  response.writeHead(200, { "content-type": "text/plain", etag: etagOf(text) }).end(text);
});

process.on("message", (numbers) => {
  for (const number of numbers) {
    changes.set(number, ` Changed ${(changes.get(number) ?? "").length + 1} times.`);
    contents[keys.findIndex((one) => one.number === number)] = describe(number);
  }
  process.send({ ...asked });
});
process.once("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
