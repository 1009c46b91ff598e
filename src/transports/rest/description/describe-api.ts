import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Endpoint } from "../endpoint.js";
import { nameComponents, refineDocument } from "./api-components.js";
import { PATH_PARAMETERS } from "./path-parameters.js";
import { errorSchema } from "../schemas.js";

/** An OpenAPI 3.1 document. */
export type ApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

const TAGS: Readonly<Record<string, string>> = {
  documents: "What you send: kept unchanged, made searchable, and read for facts.",
  search: "Finding memories and passages of documents by meaning and by words.",
  memories: "Single facts, with their versions and sources.",
  profile: "What is known about the subject of a container.",
  "container tags": "Isolation boundaries: what is in one is never found from another.",
  settings: "How this server reads what you send.",
  service: "About this server.",
};

const INTRODUCTION = `Recollect implements the public Supermemory API. Send a key of this server as \`Authorization: Bearer sm_…\` or \`x-api-key: sm_…\`; programs on the same machine may leave it out as long as the server listens only on this machine.

Requests with a key for some containers may leave out \`containerTag\`: reads then cover all of its containers, and a write goes to \`sm_project_default\` if that is one of them, or else to the only container that the key may write to. If there are several, the request is refused, and the error names them.

A request may contain at most 100,000 values and field names, nested at most 64 levels deep, with at most 10,000 entries in a list or an object that has no other limit; anything larger is refused before it is read.

Errors are \`{error, details?, message}\`, all strings; errors about invalid input also list up to twenty \`issues\`, each with the path of a field and the rule that it breaks. If a rate limit is set, every response of an operation has \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds until the whole limit is available again), and 429 has \`Retry-After\`.

Every path under \`/v3/documents\` is also served under its older name, \`/v3/memories\`. Misspellings of a field that narrows a request, such as \`container_tag\`, are refused with the right name, and so is such a field itself if the request does not read it. A request other than GET accepts only the parameters that it describes, and only the body that it describes, or \`{}\`. Other unknown fields change nothing and are named in the \`warnings\` of the response. Times are in ISO 8601 format, in UTC.`;

/**
 * Describes endpoints as OpenAPI 3.1, from the same schemas that check their requests and answers; names no server and no
 * version.
 */
export function describeApi(endpoints: readonly Endpoint[]): ApiDocument {
  nameComponents();
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent("securitySchemes", "bearerAuth", {
    type: "http",
    scheme: "bearer",
    description: "A key of this server, `sm_<organisation>_<secret>`.",
  });
  for (const endpoint of endpoints) app.openAPIRegistry.registerPath(describeEndpoint(endpoint));
  const tags = [...new Set(endpoints.map(({ tag }) => tag))];
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Recollect API",
      version: "",
      description: INTRODUCTION,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [],
    security: [{ bearerAuth: [] }],
    tags: tags.map((name) => ({ name, ...(TAGS[name] !== undefined && { description: TAGS[name] }) })),
  });
  return refineDocument(document);
}

function describeEndpoint(endpoint: Endpoint): ReturnType<typeof createRoute> {
  const { method, path, operationId, summary, description, tag, body, query } = endpoint;
  return createRoute({
    method,
    path,
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(endpoint.needsKey === false && { security: [] }),
    ...(endpoint.opensWith !== undefined && { security: [{ bearerAuth: [] }, {}] }),
    request: {
      params: parametersOf(endpoint),
      ...(query && { query }),
      ...(body && {
        body: {
          content: {
            [bodyTypeOf(endpoint)]: {
              schema: body,
              ...(endpoint.example !== undefined && { example: endpoint.example }),
            },
          },
          required: !endpoint.isBodyOptional,
        },
      }),
    },
    responses: describeAnswers(endpoint),
  });
}

function bodyTypeOf({ carries }: Endpoint): string {
  return carries === "file" ? "multipart/form-data" : "application/json";
}

function describeAnswers({ status, answer, produces, refusals = {}, otherAnswers = {} }: Endpoint) {
  const refused = { "application/json": { schema: errorSchema } };
  return {
    [status]: {
      description: ANSWERS[status],
      ...(answer && { content: { "application/json": { schema: answer } } }),
      ...(produces !== undefined && { content: { [produces]: { schema: z.string() } } }),
    },
    ...Object.fromEntries(
      Object.entries(otherAnswers).map(([other, description]) => [
        other,
        {
          description,
          ...(other === "206" && produces !== undefined && { content: { [produces]: { schema: z.string() } } }),
        },
      ]),
    ),
    // Places the error schema among the named ones.
    500: { description: "Failed", content: refused },
    ...Object.fromEntries(
      Object.entries(refusals).map(([refusal, description]) => [refusal, { description, content: refused }]),
    ),
  };
}

const ANSWERS: Readonly<Record<Endpoint["status"], string>> = {
  200: "Done",
  201: "Created",
  202: "Accepted; continues in the background",
  204: "Done; no content",
  302: "Redirects to where the sign-in began",
};

function parametersOf({ path, parameters = {} }: Endpoint) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap((match) => match[1] ?? []);
  return z.object(
    Object.fromEntries(
      names.map((name) => [name, z.string().describe(parameters[name] ?? PATH_PARAMETERS[name] ?? name)]),
    ),
  );
}
