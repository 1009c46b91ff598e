import {
  completable,
  fromJsonSchema,
  InMemoryServerEventBus,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { McpExtension } from "../../src/transports/mcp/server.js";
import { registerInputFixtures, requestStates } from "./conformance-input.js";

/** A picture of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** A sound file with a header and no samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const STEP_MS = 50;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
/** Parsed from text, since an object with `then` may be taken for a promise. */
const CONDITION = JSON.parse(`{
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] }
}`) as object;
const SCHEMA_WITH_EVERYTHING = {
  $schema: DIALECT,
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  ...CONDITION,
  additionalProperties: false,
};
const SCHEMA_WITH_HEADER = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
  required: ["region"],
};

const text = (words: string) => ({ type: "text", text: words }) as const;
const image = { type: "image", data: PNG, mimeType: "image/png" } as const;
const says = (words: string) => ({ content: [text(words)] });
const resource = (uri: string, mimeType: string, words: string) =>
  ({ type: "resource", resource: { uri, mimeType, text: words } }) as const;

/**
 * What the public conformance suite calls: tools, resources and prompts with the names and behaviour that its
 * scenarios describe. They exist next to the product only on the servers of the tests.
 */
export function conformanceFixtures(): McpExtension {
  const bus = new InMemoryServerEventBus();
  return {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
      completions: {},
    },
    requestState: { verify: (state, context) => requestStates.verify(state, context) },
    bus,
    extend(server) {
      registerContent(server);
      registerMessages(server, bus);
      registerSchemas(server);
      registerInputFixtures(server);
      registerResources(server);
      registerPrompts(server);
    },
  };
}

function registerContent(server: McpServer): void {
  server.registerTool("test_simple_text", { description: "Answers with text." }, () =>
    says("This is a simple text response for testing."),
  );
  server.registerTool("test_image_content", { description: "Answers with an image." }, () => ({ content: [image] }));
  server.registerTool("test_audio_content", { description: "Answers with sound." }, () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  server.registerTool("test_embedded_resource", { description: "Answers with a resource." }, () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  server.registerTool("test_multiple_content_types", { description: "Answers with all of these." }, () => ({
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }));
  server.registerTool("test_error_handling", { description: "Always fails." }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function registerMessages(server: McpServer, bus: InMemoryServerEventBus): void {
  const logs = async ({ mcpReq }: ServerContext) => {
    await mcpReq.log("info", "Tool execution started");
    await sleep(STEP_MS);
    await mcpReq.log("info", "Tool processing data");
    await sleep(STEP_MS);
    await mcpReq.log("info", "Tool execution completed");
    return says("Three lines were logged.");
  };
  server.registerTool("test_tool_with_logging", { description: "Logs while it works." }, logs);
  server.registerTool("test_logging_tool", { description: "Logs while it works." }, logs);
  server.registerTool("test_tool_with_progress", { description: "Tells how far it is." }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      await sleep(STEP_MS);
    }
    return says("Done in three steps.");
  });
  server.registerTool("test_reconnection", { description: "Ends its stream early, where that can be." }, ({ http }) => {
    http?.closeSSE?.();
    return says("The stream was ended before this.");
  });
  // Over HTTP a server lives for one request, so listeners learn of changes from elsewhere.
  server.registerTool("test_trigger_tool_change", { description: "Announces other tools." }, ({ http }) => {
    if (http) bus.publish({ kind: "tools_list_changed" });
    else server.sendToolListChanged();
    return says("Announced.");
  });
  server.registerTool("test_trigger_prompt_change", { description: "Announces other prompts." }, ({ http }) => {
    if (http) bus.publish({ kind: "prompts_list_changed" });
    else server.sendPromptListChanged();
    return says("Announced.");
  });
}

function registerSchemas(server: McpServer): void {
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Has a schema with everything.", inputSchema: fromJsonSchema(SCHEMA_WITH_EVERYTHING) },
    () => says("Understood."),
  );
  server.registerTool(
    "test_x_mcp_header",
    { description: "Has an argument that is a header, too.", inputSchema: fromJsonSchema(SCHEMA_WITH_HEADER) },
    () => says("Understood."),
  );
}

function registerResources(server: McpServer): void {
  server.registerResource("static-text", "test://static-text", { mimeType: "text/plain" }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: PNG }],
  }));
  server.registerResource("watched", "test://watched-resource", { mimeType: "text/plain" }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: "Somebody watches this." }],
  }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    ({ href: uri }, { id }) => ({
      contents: [
        {
          uri,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

function registerPrompts(server: McpServer): void {
  const asks = (...contents: (typeof image | ReturnType<typeof text> | ReturnType<typeof resource>)[]) => ({
    messages: contents.map((content) => ({ role: "user" as const, content })),
  });
  server.registerPrompt("test_simple_prompt", { description: "Says one thing." }, () =>
    asks(text("This is a simple prompt for testing.")),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "Says what it was given.",
      argsSchema: z.object({
        arg1: completable(z.string(), (begun) => ["testing", "tested"].filter((word) => word.startsWith(begun))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => asks(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Shows a resource.", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      asks(
        resource(resourceUri, "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ),
  );
  server.registerPrompt("test_prompt_with_image", { description: "Shows an image." }, () =>
    asks(image, text("Please analyze the image above.")),
  );
}
