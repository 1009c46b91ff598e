import { html, trustedHtml, type Html } from "../../../pages/html.js";
import type { ApiDocument } from "../describe-api.js";
import { curlOf } from "./example.js";
import { namedSchemas, type NamedSchemas } from "./named-schemas.js";
import { inline, prose } from "./prose.js";
import { renderFields, renderMeaning, renderType, type Schema } from "./schema.js";
import { STYLE } from "./style.js";
import { renderTable } from "./table.js";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content; readonly required?: boolean };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

/** The parts of the document that the page reads; our own generator made it. */
interface Api {
  readonly info: { readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "method" | "path">>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, { readonly description: string }>>;
  };
}

/** Without white space around the style: the page's policy identifies it by its hash. */
const STYLE_ELEMENT = trustedHtml(`<style>${STYLE}</style>`);

/** The API reference: one page without scripts. */
export function renderReference(document: ApiDocument, origin: string): string {
  const api = document as unknown as Api;
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => ({ ...operation, method, path })),
  );
  const schemas = namedSchemas(
    api.components.schemas,
    operations.flatMap(({ requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((body) =>
        Object.values(body?.content ?? {}).map(({ schema }) => schema),
      ),
    ),
  );
  const groups = api.tags.map((tag) => ({ ...tag, operations: operations.filter(({ tags }) => tags[0] === tag.name) }));
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>Recollect API reference</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <div class="layout">
          <nav aria-label="Contents">
            <a href="#top"><strong>Recollect API</strong></a>
            ${groups.map(renderGroupLinks)}
            <h2>Schemas</h2>
            <ul>
              ${Object.keys(schemas.listed).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
            </ul>
          </nav>
          <main id="top">
            <h1>Recollect API reference</h1>
            ${prose(api.info.description ?? "")}
            <p>
              This page is generated from <a href="/v3/openapi">the OpenAPI document</a> of this server. Its base URL is
              <code>${origin}</code>.
            </p>
            <section id="refusals">
              <h2>Errors</h2>
              ${renderRefusals(api)}
            </section>
            ${groups.map((group) => renderGroup(group, schemas, origin))}
            <section id="schemas">
              <h2>Schemas</h2>
              ${Object.entries(schemas.listed).map(
                ([name, schema]) =>
                  html`<article id="schema-${name}">
                    <h3>${name}</h3>
                    ${renderFields(schema)}
                  </article>`,
              )}
            </section>
          </main>
        </div>
      </body>
    </html> `;
  return page.text;
}

type Group = Api["tags"][number] & { readonly operations: readonly Operation[] };

function renderGroupLinks({ name, operations }: Group): Html {
  const links = operations.map(
    ({ operationId, method, summary }) =>
      html`<li>
        <a href="#${operationId}"><span class="method method-${method}">${method.toUpperCase()}</span>${summary}</a>
      </li>`,
  );
  return html`<h2>${name}</h2>
    <ul>
      ${links}
    </ul>`;
}

function renderGroup({ name, description, operations }: Group, schemas: NamedSchemas, origin: string): Html {
  return html`<section>
    <h2>${name}</h2>
    ${prose(description ?? "")}${operations.map((operation) => renderOperation(operation, schemas, origin))}
  </section> `;
}

function renderOperation(operation: Operation, schemas: NamedSchemas, origin: string): Html {
  const { method, path, operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const [bodyType = "", body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const bodySchema = body && schemas.ofBody(body.schema).schema;
  const curl = curlOf({
    method,
    url: origin + path,
    body: requestBody?.required === false && body?.example === undefined ? undefined : bodySchema,
    example: body?.example,
    isForm: bodyType === "multipart/form-data",
    needsKey: operation.security?.length !== 0,
  });
  return html`<article id="${operationId}">
    <h3><span class="method method-${method}">${method.toUpperCase()}</span><code>${path}</code></h3>
    <p class="summary">${summary}</p>
    ${prose(description ?? "")}
    ${
      parameters.length === 0
        ? ""
        : html`<h4>Parameters</h4>
            ${renderParameters(parameters)}`
    }
    ${
      requestBody
        ? renderContent(requestBody.required === false ? "Body, optional" : "Body", requestBody.content, schemas)
        : ""
    }
    ${Object.entries(responses)
      .filter(([, answer]) => answer.$ref === undefined)
      .map(([status, { description = "", content = {} }]) =>
        renderContent(`Response ${status}: ${description}`, content, schemas),
      )}
    <h4>Example</h4>
    <pre><code>${curl}</code></pre>
  </article> `;
}

function renderParameters(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const { description: _repeated, ...rules } = schema;
    return html`<tr>
      <td><code>${name}</code>${required ? html` <span class="required">required</span>` : ""}</td>
      <td>${place}</td>
      <td class="type">${renderType(schema)}</td>
      <td>${inline(description ?? "")} ${renderMeaning(rules)}</td>
    </tr>`;
  });
  return renderTable(["Name", "In", "Type", "Meaning"], rows);
}

/** What is sent, under a title: what is said about it, the name of its schema, and its type. */
function renderContent(title: string, content: Content, schemas: NamedSchemas): Html {
  const [[type, { schema }] = [undefined, { schema: undefined }]] = Object.entries(content);
  if (type === undefined || schema === undefined) return html`<h4>${title}</h4>`;
  const shown = schemas.ofBody(schema);
  const name = shown.name === undefined ? "" : `${shown.name}, `;
  return html`<h4>${title}, ${name}${type}</h4>
    ${renderFields(shown.schema)}`;
}

function renderRefusals({ components }: Api): Html {
  const rows = Object.entries(components.responses).map(
    ([name, { description }]) =>
      html`<tr>
        <td>${name}</td>
        <td>${inline(description)}</td>
      </tr>`,
  );
  return html`<div class="table">
      <table>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    <p>Their body is <a href="#schema-Error">Error</a>.</p>`;
}
