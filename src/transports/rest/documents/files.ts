import * as z from "zod";
import { addDocumentSchema, MOST_CONTAINERS_OF_DOCUMENT } from "../../../core/index.js";
import { preferredWait } from "../prefer.js";
import { presentReceipt, receiptAnswer } from "./present-receipt.js";
import { defineEndpoint } from "../endpoint.js";
import { AMBIGUOUS, documentNameOf, documentPlace } from "./document-name.js";
import { optionalParameter } from "../query-parameters.js";
import { type FormFile, ReceivedFile } from "../read-form.js";
import { containerTag, tagsOf } from "../schemas.js";
import { serveFile } from "./serve-file.js";
import { parseBounded } from "../../../lib/bounded-parse.js";
import { parseLimitedJson } from "../../../lib/limited-json.js";

const { title, customId, endUserId, entityContext, taskType, dreaming, filepath, documentDate, forgetAfter } =
  addDocumentSchema.shape;

/** JSON as the text of a form field. */
function jsonText<T>(rule: string, schema: z.ZodType<T>) {
  return z.string("must be text").transform((text, context): T => {
    let value: unknown;
    try {
      value = parseLimitedJson(text);
    } catch {
      context.addIssue({ code: "custom", message: rule });
      return z.NEVER;
    }
    const result = parseBounded(schema, value);
    if ("data" in result) return result.data;
    for (const { path, message } of result.findings) context.addIssue({ code: "custom", path: [...path], message });
    return z.NEVER;
  });
}

const metadataText = jsonText("must be a JSON object as text", addDocumentSchema.shape.metadata.unwrap());

/** A JSON array of tags, a single tag, or the field repeated. */
const tagsText = z
  .union([z.string(), z.array(z.string())], "must be text")
  .transform((texts) => [texts].flat().flatMap(readTags))
  .pipe(z.array(containerTag).max(MOST_CONTAINERS_OF_DOCUMENT));

function readTags(text: string): unknown[] {
  if (!text.trimStart().startsWith("[")) return [text];
  try {
    const value: unknown = parseLimitedJson(text);
    return Array.isArray(value) ? value : [text];
  } catch {
    return [text];
  }
}

/** Forms send an empty field as an empty text. */
function unlessEmpty<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional()).optional();
}

const uploadForm = z.object({
  file: z.instanceof(ReceivedFile, { error: "must be a file" }).meta({ type: "string", format: "binary" }),
  containerTag: unlessEmpty(containerTag),
  containerTags: unlessEmpty(tagsText),
  fileType: unlessEmpty(z.string("must be given once, as text")),
  mimeType: unlessEmpty(z.string("must be given once, as text")),
  password: unlessEmpty(z.string("must be given once, as text").max(1_000, "must have at most 1000 characters")),
  metadata: unlessEmpty(metadataText),
  endUserId: unlessEmpty(endUserId.unwrap()),
  filterByMetadata: unlessEmpty(metadataText),
  customId: unlessEmpty(customId.unwrap()),
  entityContext: unlessEmpty(entityContext.unwrap()),
  taskType: unlessEmpty(taskType.unwrap()),
  dreaming: unlessEmpty(dreaming.unwrap()),
  filepath: unlessEmpty(filepath.unwrap()),
  documentDate: unlessEmpty(documentDate.unwrap()),
  title: unlessEmpty(title.unwrap()),
  forgetAfter: unlessEmpty(
    z
      .preprocess((value) => (value === "null" ? null : value), forgetAfter.unwrap())
      .describe("When it is forgotten, in ISO 8601 format, or `null` to remove the time."),
  ),
});

const linkQuery = z.object({
  expires: optionalParameter(z.string()).describe("For a link: when it expires, in seconds since 1970."),
  signature: optionalParameter(z.string()).describe("For a link: opens the file without a key."),
});

export const fileEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents/file",
    operationId: "uploadFile",
    summary: "Upload a file",
    description:
      "The file is stored unchanged, and its text is made searchable. Other form fields are text; write lists and objects as JSON.",
    tag: "documents",
    body: uploadForm,
    carries: "file",
    idle: { fileType: "the mimeType, name and bytes of a file determine what it is" },
    status: 200,
    answer: receiptAnswer,
    async handle({ core, call, body, header, setHeader, countMore }) {
      const { file, containerTag: _one, containerTags: _many, fileType, mimeType, password, ...document } = body;
      const wait = preferredWait(header("prefer"));
      if (wait !== undefined) setHeader("preference-applied", `wait=${wait}`);
      const receipt = await core.addFile(call, {
        upload: file.upload,
        name: file.name,
        mimeType,
        contentType: typeOf(file),
        fileType,
        password,
        document: { ...document, containerTags: tagsOf(body), wait },
      });
      if (receipt.isInstant) countMore(1);
      return presentReceipt(receipt);
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/documents/{id}/file-url",
    operationId: "getFileUrl",
    summary: "Get the download URL of a document's file",
    description:
      "A link that opens the file without a key for 24 hours, as long as the document stays in its containers. Only documents that came as files have one.",
    tag: "documents",
    query: documentPlace,
    refusals: { 409: AMBIGUOUS },
    status: 200,
    answer: z.object({ url: z.url() }),
    async handle({ core, call, parameter, query, origin }) {
      const { path } = await core.getDocumentFile(call, documentNameOf(parameter, query));
      return { url: `${origin}${path}` };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/files/{key}",
    operationId: "downloadFile",
    summary: "Download an uploaded file",
    description:
      "Returns the bytes as they were uploaded, to keys that may read the document, and to anyone with a link from `/v3/documents/{id}/file-url`.",
    tag: "documents",
    query: linkQuery,
    opensWith: "signature",
    status: 200,
    otherAnswers: {
      206: "The part of the file that `Range` requests.",
      416: "The range begins beyond the end of the file; `Content-Range` says how long it is.",
    },
    produces: "application/octet-stream",
    async handle({ core, call, parameter, query, header }) {
      const { expires = "", signature = "" } = query;
      // Anyone opening an incomplete link sees nothing: the answer is the same as for a missing file.
      const access = { key: parameter("key"), ...(signature !== "" && { proof: { expires, signature } }) };
      const { file } = await core.getFile(call, access);
      return serveFile(file, header("range"), async (start, length) => {
        const { bytes } = await core.readFile(call, { ...access, start, length });
        return Buffer.from(bytes, "base64");
      });
    },
  }),
];

/** Malformed types, and those that libraries send when they do not know any, count as none. */
function typeOf({ type }: FormFile): string | null {
  return type !== null && type !== "application/octet-stream" && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : null;
}
