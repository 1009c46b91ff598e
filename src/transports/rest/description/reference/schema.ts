import { html, type Html } from "../../../pages/html.js";
import { nameOf } from "./named-schemas.js";
import { inline } from "./prose.js";
import { renderTable } from "./table.js";

/** A schema of the API document, as far as the page reads it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Nested fields are listed to this depth; deeper ones appear only with their type. */
const MAX_DEPTH = 5;

/** The fields of a schema as a table, those of nested objects under their own path, such as `results[].id`. */
export function renderFields(schema: Schema): Html {
  const rows = fieldsOf(schema, "", 0);
  const named = schema.allOf?.filter(({ $ref }) => $ref !== undefined) ?? [];
  if (rows.length === 0) return html`<p class="type">${renderType(schema)}</p>`;
  return html`${named.map((part) => html`<p class="type">${renderType(part)}, with:</p>`)}
  ${renderTable(["Field", "Type", "Meaning"], rows)}`;
}

function fieldsOf(schema: Schema, path: string, depth: number): Html[] {
  if (depth > MAX_DEPTH) return [];
  if (schema.type === "array" && schema.items) return fieldsOf(schema.items, `${path}[]`, depth);
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].filter(
    ({ properties, items }) => properties ?? items,
  );
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const at = path === "" ? name : `${path}.${name}`;
    return [renderField(at, field, isRequired), ...fieldsOf(field, at, depth + 1)];
  });
  return [...own, ...inner.flatMap((variant) => fieldsOf(variant, path, depth + 1))];
}

function renderField(path: string, field: Schema, isRequired: boolean): Html {
  return html`<tr>
    <td><code>${path}</code>${isRequired ? html` <span class="required">required</span>` : ""}</td>
    <td class="type">${renderType(field)}</td>
    <td>${renderMeaning(field)}</td>
  </tr>`;
}

/** The type in words; a named schema links to its description. */
export function renderType(schema: Schema): Html {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return join(variants.map(renderType), " | ");
  if (schema.allOf) return join(schema.allOf.map(renderType), " & ");
  if (schema.enum) return join(schema.enum.map(renderValue), " | ");
  if (schema.const !== undefined) return renderValue(schema.const);
  const types = [schema.type ?? "any"].flat();
  return join(
    types.map((type) => renderPlainType(type, schema)),
    " | ",
  );
}

function renderPlainType(type: string, { items, format, properties, additionalProperties }: Schema): Html {
  if (type === "array") return html`array of ${renderType(items ?? {})}`;
  if (type === "object" && !properties && typeof additionalProperties === "object")
    return html`object of ${renderType(additionalProperties)}`;
  return format === undefined ? html`${type}` : html`${type} (${format})`;
}

function renderValue(value: unknown): Html {
  return html`<code>${JSON.stringify(value)}</code>`;
}

function join(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;
}

/** A field's meaning and its constraints. */
export function renderMeaning(schema: Schema): Html {
  const rules = rulesOf(schema);
  const words = schema.description === undefined ? html`` : inline(schema.description);
  return rules === "" ? words : html`${words} <span class="rules">${rules}</span>`;
}

function rulesOf(schema: Schema): string {
  return [
    between(schema.minimum, schema.maximum, ""),
    between(schema.minLength, schema.maxLength, "characters"),
    between(schema.minItems, schema.maxItems, "items"),
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((rule) => rule !== "")
    .join("; ");
}

function between(minimum: number | undefined, maximum: number | undefined, unit: string): string {
  const range =
    minimum === undefined
      ? maximum === undefined
        ? ""
        : `at most ${maximum}`
      : maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
        ? `at least ${minimum}`
        : `${minimum} to ${maximum}`;
  return range === "" ? "" : `${range} ${unit}`.trim();
}
