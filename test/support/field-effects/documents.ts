import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Bodies, type Effect, effectsOf, formEffectsOf, type Place, REQUIRED, unprobed } from "./effect.js";

const CONTENT = "Mia lives in Rome and keeps bees on the roof. Yesterday she sold honey.";
const base = ({ tag }: Place) => ({ content: CONTENT, containerTag: tag });

/** Everything that can be read about a document and its container. */
async function seeDocument({ rest, tag }: Place, { body }: { body: any }): Promise<unknown> {
  await rest.settle();
  const id = body?.id ?? body?.results?.[0]?.id ?? body?.documentId;
  const get = async (path: string) => (await rest.send("GET", path)).body;
  return [
    id === undefined ? null : await get(`/v3/documents/${id}`),
    id === undefined ? null : await get(`/v3/documents/${id}/chunks`),
    (await rest.send("POST", "/v4/memories/list", { containerTags: [tag] })).body,
    await get(`/v3/container-tags/${tag}`),
    (await rest.send("POST", "/v4/profile", { containerTag: tag })).body,
  ];
}

const known = ({ rest, tag }: Place) =>
  rest.send("POST", "/v3/documents", { content: "Known already", containerTag: tag, customId: `known-${tag}` });

/** A file whose name gives its type. */
const fileOf = (name: string) => new File([CONTENT], name);

const ENCRYPTED = readFileSync(resolve(import.meta.dirname, "../../fixtures/extractors/encrypted-qpdf.pdf"));
const encryptedFile = () => new File([new Uint8Array(ENCRYPTED)], "waves.pdf");

const TALK = { conversationId: "x", messages: [{ role: "user", content: "Hi" }] };
const FACT = { text: "Mia keeps bees" };
const facts = {
  facts: [FACT],
  "facts[].text": REQUIRED,
  "facts[].kind": "preference",
  "facts[].isStatic": true,
  "facts[].forgetAfter": "2031-05-05",
  "facts[].quote": "which nobody said",
  "facts[].updates": unprobed("names a memory: test/transports/rest-documents.test.ts"),
};
const NEEDS_MODEL = "tells which memories a model is shown: test/ingest/model-extraction.test.ts";
const DREAMING = "decides when memories are formed: test/transports/rest-dreaming.test.ts";
const documentFields = {
  customId: ({ tag }: Place) => `custom-${tag}`,
  title: "Bees",
  metadata: { team: "a" },
  filterByMetadata: unprobed(NEEDS_MODEL),
  taskType: "superrag",
  filepath: "/notes/bees.md",
  documentDate: "2031-05-05",
  endUserId: "ada",
  forgetAfter: "2031-05-05",
};

const withFact = (place: Place) => ({ ...base(place), facts: [FACT] });
const onFacts = Object.fromEntries(Object.entries(facts).filter(([name]) => name !== "facts"));

export const documentEffects: Readonly<Record<string, Effect>> = {
  ...effectsOf("POST /v3/documents", {
    base,
    see: seeDocument,
    fields: {
      ...documentFields,
      content: REQUIRED,
      containerTag: new Bodies(
        ({ tag }) => ({ content: CONTENT, containerTag: `other-${tag}` }),
        ({ tag }) => ({ content: CONTENT, containerTag: tag }),
      ),
      containerTags: new Bodies(
        ({ tag }) => ({ content: CONTENT, containerTags: [`other-${tag}`] }),
        ({ tag }) => ({ content: CONTENT, containerTags: [tag] }),
      ),
      entityContext: "Mia is a beekeeper.",
      dreaming: unprobed(DREAMING),
      facts: [FACT],
    },
  }),
  ...effectsOf("POST /v3/documents", { base: withFact, see: seeDocument, fields: onFacts }),
  ...effectsOf("PATCH /v3/documents/{id}", {
    base: () => ({}),
    before: known,
    path: ({ tag }) => `/v3/documents/known-${tag}?containerTag=${tag}`,
    see: seeDocument,
    fields: {
      ...documentFields,
      content: CONTENT,
      containerTag: "another",
      containerTags: ["another"],
      "?containerTag": unprobed(
        "tells two documents of one customId apart: test/transports/rest-document-names.test.ts",
      ),
    },
  }),
  ...effectsOf("GET /v3/documents/{id}", {
    base: () => ({}),
    path: () => "/v3/documents/bees",
    fields: { "?containerTag": "second" },
  }),
  ...effectsOf("DELETE /v3/documents/{id}", {
    base: () => ({}),
    before: known,
    path: ({ tag }) => `/v3/documents/known-${tag}`,
    fields: { "?containerTag": "second" },
  }),
  ...effectsOf("GET /v3/documents/{id}/chunks", {
    base: () => ({}),
    path: () => "/v3/documents/bees/chunks",
    fields: { "?containerTag": "second" },
  }),
  ...effectsOf("GET /v3/documents/{id}/file-url", {
    base: () => ({}),
    fields: { "?containerTag": unprobed("of a file, as of a document: test/transports/rest-document-names.test.ts") },
  }),
  ...effectsOf("GET /files/{key}", {
    base: () => ({}),
    fields: {
      "?expires": unprobed("part of a link: test/transports/file-links.test.ts"),
      "?signature": unprobed("part of a link: test/transports/file-links.test.ts"),
    },
  }),
  ...effectsOf("POST /v4/conversations", {
    base: ({ tag }) => ({
      conversationId: `talk-${tag}`,
      containerTag: tag,
      messages: [{ role: "user", content: "I keep bees." }],
    }),
    see: seeDocument,
    fields: {
      conversationId: REQUIRED,
      customId: new Bodies(
        () => ({ messages: [{ role: "user", content: "Hi" }] }),
        ({ tag }) => ({ messages: [{ role: "user", content: "Hi" }], customId: tag }),
      ),
      messages: REQUIRED,
      "messages[].role": "assistant",
      "messages[].content": REQUIRED,
      "messages[].name": "Ada",
      "messages[].tool_calls": [{ function: { name: "look", arguments: "{}" } }],
      "messages[].tool_call_id": unprobed("names the call of a result: test/transports/rest-conversations.test.ts"),
      containerTag: new Bodies(
        ({ tag }) => ({ ...TALK, containerTag: `other-${tag}` }),
        ({ tag }) => ({ ...TALK, containerTag: tag }),
      ),
      containerTags: new Bodies(
        ({ tag }) => ({ ...TALK, containerTags: [`other-${tag}`] }),
        ({ tag }) => ({ ...TALK, containerTags: [tag] }),
      ),
      metadata: { team: "a" },
      endUserId: "ada",
      entityContext: "Mia is a beekeeper.",
      forgetAfter: "2031-05-05",
    },
  }),
  ...partEffects(),
  ...effectsOf("POST /v3/documents/batch", {
    base: ({ tag }) => ({ containerTag: tag, documents: [{ content: CONTENT }] }),
    see: seeDocument,
    fields: {
      ...Object.fromEntries(Object.entries(documentFields).filter(([name]) => name !== "customId" && name !== "title")),
      content: unprobed("refused: it belongs to the documents, test/transports/rest-batch.test.ts"),
      containerTag: new Bodies(
        ({ tag }) => ({ documents: [{ content: CONTENT }], containerTag: `other-${tag}` }),
        ({ tag }) => ({ documents: [{ content: CONTENT }], containerTag: tag }),
      ),
      containerTags: new Bodies(
        ({ tag }) => ({ documents: [{ content: CONTENT }], containerTags: [`other-${tag}`] }),
        ({ tag }) => ({ documents: [{ content: CONTENT }], containerTags: [tag] }),
      ),
      entityContext: "Mia is a beekeeper.",
      dreaming: unprobed(DREAMING),
      documents: REQUIRED,
      "documents[].content": REQUIRED,
      "documents[].containerTag": "another",
      "documents[].containerTags": ["another"],
      "documents[].entityContext": "Mia is a beekeeper.",
      "documents[].dreaming": unprobed(DREAMING),
      ...inDocuments(documentFields),
      "documents[].facts": [FACT],
    },
  }),
  ...effectsOf("POST /v3/documents/batch", {
    base: ({ tag }) => ({ containerTag: tag, documents: [{ content: CONTENT, facts: [FACT] }] }),
    see: seeDocument,
    fields: inDocuments(onFacts),
  }),
  ...effectsOf("DELETE /v3/documents/bulk", {
    base: () => ({}),
    before: known,
    fields: {
      ids: ({ tag }: Place) => [`known-${tag}`],
      containerTags: ({ tag }: Place) => [tag],
      containerTag: ({ tag }: Place) => tag,
      filepath: new Bodies(
        ({ tag }) => ({ containerTags: [tag] }),
        ({ tag }) => ({ containerTags: [tag], filepath: "/none/" }),
      ),
    },
  }),
  ...formEffectsOf("POST /v3/documents/file", {
    base: ({ tag }) => ({ file: fileOf("notes.txt"), containerTag: tag }),
    see: seeDocument,
    fields: {
      file: REQUIRED,
      containerTag: new Bodies(
        ({ tag }) => ({ file: fileOf("notes.txt"), containerTag: `other-${tag}` }),
        ({ tag }) => ({ file: fileOf("notes.txt"), containerTag: tag }),
      ),
      containerTags: new Bodies(
        ({ tag }) => ({ file: fileOf("notes.txt"), containerTags: JSON.stringify([`other-${tag}`]) }),
        ({ tag }) => ({ file: fileOf("notes.txt"), containerTags: JSON.stringify([tag]) }),
      ),
      fileType: "text",
      // Neither its name nor its bytes indicate its type.
      mimeType: new Bodies(
        ({ tag }) => ({ file: fileOf("notes"), containerTag: tag }),
        ({ tag }) => ({ file: fileOf("notes"), containerTag: tag, mimeType: "text/html" }),
      ),
      password: new Bodies(
        ({ tag }) => ({ file: encryptedFile(), containerTag: tag }),
        ({ tag }) => ({ file: encryptedFile(), containerTag: tag, password: "secret" }),
      ),
      metadata: JSON.stringify({ team: "a" }),
      endUserId: "ada",
      filterByMetadata: JSON.stringify({ team: "a" }),
      customId: documentFields.customId,
      entityContext: "Mia is a beekeeper.",
      taskType: "superrag",
      dreaming: unprobed(DREAMING),
      filepath: "/notes/bees.md",
      documentDate: "2031-05-05",
      title: "Bees",
      forgetAfter: "2031-05-05",
    },
  }),
};

function inDocuments(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`documents[].${name}`, value]));
}

/** The parts of a message: each field with the kind of part that has it. */
function partEffects(): Record<string, Effect> {
  const RESULT = { type: "tool-result", toolCallId: "1", result: "A bee" };
  const of = (part: Record<string, unknown>, name: string, value: unknown = REQUIRED) =>
    effectsOf("POST /v4/conversations", {
      base: ({ tag }) => ({
        conversationId: `talk-${tag}`,
        containerTag: tag,
        messages: [{ role: "user", content: [{ type: "text", text: "Look" }, { ...part }].slice(1) }],
      }),
      see: seeDocument,
      fields: { [`messages[].content[].${name}`]: value },
    });
  const call = { type: "tool-call", toolCallId: "1", toolName: "look" };
  const elsewhere = unprobed("names a call for its result: test/transports/rest-conversations.test.ts");
  const image = unprobed("images wait, which is said: test/transports/rest-conversations.test.ts");
  return {
    ...of({ type: "text", text: "Look" }, "type"),
    ...of({ type: "text", text: "Look" }, "text"),
    ...of({ type: "image_url", imageUrl: { url: "https://example.com/a.png" } }, "imageUrl"),
    ...of({ type: "image_url", imageUrl: { url: "https://example.com/a.png" } }, "imageUrl.url"),
    ...of({ type: "image_url", image_url: { url: "https://example.com/a.png" } }, "image_url"),
    ...of({ type: "image_url", image_url: { url: "https://example.com/a.png" } }, "image_url.url"),
    ...of({ type: "image" }, "image", image),
    ...of({ type: "image" }, "source", image),
    ...of({ type: "image" }, "mediaType", image),
    ...of({ type: "image" }, "mimeType", image),
    ...of(call, "toolCallId"),
    ...of(call, "toolName"),
    ...of(call, "args", { at: "hive" }),
    ...of(call, "input", { at: "hive" }),
    ...of({ type: "tool_use", id: "1", name: "look" }, "id", elsewhere),
    ...of({ type: "tool_use", id: "1", name: "look" }, "name"),
    ...of({ type: "tool-result", toolCallId: "1" }, "result", "A bee"),
    ...of({ type: "tool-result", toolCallId: "1" }, "output", "A bee"),
    ...of(RESULT, "isError", true),
    ...of({ type: "tool_result", tool_use_id: "1", content: "A bee" }, "tool_use_id"),
    ...of({ type: "tool_result", tool_use_id: "1" }, "content", "A bee"),
    ...of({ type: "tool_result", tool_use_id: "1", content: "A bee" }, "is_error", true),
  };
}
