import type { JsonSchema } from "../schema-arbitrary.js";

/** One limit of one field: what the document says is taken at its edge, and what is not just beyond it. */
export interface Bound {
  /** Names of fields and places of lists that lead to it. */
  readonly path: readonly (string | number)[];
  /** As `maxLength 255`. */
  readonly rule: string;
  /** Values of the whole with the field at the edge; none where no value can tell. */
  readonly within: readonly unknown[];
  /** Values of the whole with the field just beyond it. */
  readonly beyond: readonly unknown[];
}

type Components = Readonly<Record<string, JsonSchema>>;

/** Values of fields by name that mean more than the least that a schema takes, where their type fits it. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/** What texts are made of, so that a pattern takes them; the first that fits. */
const LETTERS = ["a", "1", "and", "a@example.org"];
/** No pattern and no list of values takes it. */
const NONSENSE = "no such: \u00E9?";

/** Limits of values, by the schemas of an API document. */
export class Bounds {
  readonly #components: Components;
  readonly #known: Known;

  constructor(components: Components, known: Known = {}) {
    this.#components = components;
    this.#known = known;
  }

  /** Every limit of the schema and of all in it. References that lead into themselves are followed once. */
  of(schema: JsonSchema, name = "", seen: readonly string[] = []): Bound[] {
    if (schema.$ref !== undefined)
      return seen.includes(schema.$ref) ? [] : this.of(this.#target(schema.$ref), name, [...seen, schema.$ref]);
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants) return variants.flatMap((variant) => this.of(variant, name, seen));
    return [...this.#own(schema, name), ...this.#inFields(schema, name, seen), ...this.#inItems(schema, name, seen)];
  }

  /** The least value that the schema takes. */
  least(schema: JsonSchema, name = ""): unknown {
    const known = this.#known[name]?.find((value) => fits(value, schema));
    if (known !== undefined) return known;
    if (schema.$ref !== undefined) return this.least(this.#target(schema.$ref), name);
    const variant = (schema.anyOf ?? schema.oneOf)?.[0];
    if (variant) return this.least(variant, name);
    if (schema.enum) return schema.enum[0];
    if (schema.format === "binary") return new File(["Mia keeps bees."], "bees.txt");
    switch (typesOf(schema)[0]) {
      case "string":
        return textOf(schema, Math.max(1, schema.minLength ?? 1));
      case "integer":
      case "number":
        return schema.minimum ?? 1;
      case "boolean":
        return true;
      case "array":
        return this.#list(schema, name, schema.minItems ?? 1);
      case "object":
        return Object.fromEntries(
          (schema.required ?? []).map((field) => [field, this.least(schema.properties?.[field] ?? {}, field)]),
        );
      default:
        return null;
    }
  }

  #target(reference: string): JsonSchema {
    const target = this.#components[reference.split("/").at(-1) ?? ""];
    if (!target) throw new Error(`${reference} leads nowhere`);
    return target;
  }

  /** Items that differ where they are texts, since a list may not count one twice. */
  #list({ items = {} }: JsonSchema, name: string, length: number): unknown[] {
    const item = this.least(items, name);
    const unlike = (at: number): unknown => {
      if (this.#known[name]?.some((value) => fits(value, items))) return item;
      if (typeof item === "string" && !items.enum) return `${item}${at}`;
      return isObject(item) && typeof item["key"] === "string" ? { ...item, key: `${item["key"]}${at}` } : item;
    };
    return Array.from({ length }, (_, at) => unlike(at));
  }

  #own(schema: JsonSchema, name: string): Bound[] {
    const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema;
    const bounds: Bound[] = [];
    const add = (rule: string, within: readonly unknown[], beyond: readonly unknown[]) =>
      bounds.push({ path: [], rule, within, beyond });
    if (schema.enum) add("enum", schema.enum, [beyondValues(schema)]);
    if (minLength) add(`minLength ${minLength}`, [textOf(schema, minLength)], [textOf(schema, minLength - 1)]);
    if (maxLength !== undefined)
      add(`maxLength ${maxLength}`, [textOf(schema, maxLength)], [textOf(schema, maxLength + 1)]);
    if (pattern !== undefined) {
      const longest = longestOf(schema);
      add("pattern", [textOf(schema, 1)], [NONSENSE]);
      if (longest !== undefined) add("pattern", [longest], [`${longest}a`]);
    }
    const step = typesOf(schema).includes("integer") ? 1 : 0.001;
    if (minimum !== undefined) add(`minimum ${minimum}`, [minimum], [minimum - step]);
    if (maximum !== undefined) add(`maximum ${maximum}`, [maximum], [maximum + step]);
    if (minItems)
      add(`minItems ${minItems}`, [this.#list(schema, name, minItems)], [this.#list(schema, name, minItems - 1)]);
    if (maxItems !== undefined)
      add(`maxItems ${maxItems}`, [this.#list(schema, name, maxItems)], [this.#list(schema, name, maxItems + 1)]);
    const other = ofOtherType(schema);
    if (other !== undefined) add(`type ${typesOf(schema).join(" or ")}`, [this.least(schema, name)], [other]);
    return bounds;
  }

  #inFields(schema: JsonSchema, name: string, seen: readonly string[]): Bound[] {
    const { properties = {}, required = [] } = schema;
    if (Object.keys(properties).length === 0) return [];
    const least = this.least(schema, name) as Readonly<Record<string, unknown>>;
    const needed = required.map((name): Bound => {
      const { [name]: _missing, ...without } = least;
      return { path: [name], rule: "required", within: [least], beyond: [without] };
    });
    const inner = Object.entries(properties).flatMap(([name, field]) =>
      this.of(field, name, seen).map((bound) => inside(bound, name, (value) => ({ ...least, [name]: value }))),
    );
    return [...needed, ...inner];
  }

  #inItems(schema: JsonSchema, name: string, seen: readonly string[]): Bound[] {
    const { items, minItems = 1 } = schema;
    if (!items) return [];
    const others = this.#list(schema, name, minItems - 1);
    return this.of(items, name, seen).map((bound) => inside(bound, 0, (value) => [value, ...others]));
  }
}

function inside(bound: Bound, step: string | number, whole: (value: unknown) => unknown): Bound {
  const { path, rule, within, beyond } = bound;
  return { path: [step, ...path], rule, within: within.map(whole), beyond: beyond.map(whole) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a value of the type of the schema, an object with no field that it does not have. */
function fits(value: unknown, schema: JsonSchema): boolean {
  if (schema.anyOf !== undefined || schema.$ref !== undefined) return true;
  const type = Array.isArray(value) ? "array" : typeof value;
  if (!typesOf(schema).includes(type) || (schema.enum && !schema.enum.includes(value))) return false;
  const { properties } = schema;
  if (!isObject(value) || !properties) return true;
  return Object.entries(value).every(
    ([name, field]) => fits(field, properties[name] ?? {}) || properties[name]?.type === undefined,
  );
}

function typesOf({ type }: JsonSchema): string[] {
  return type === undefined ? [] : [type].flat();
}

function beyondValues({ enum: values = [] }: JsonSchema): unknown {
  return typeof values[0] === "boolean" ? !values[0] : "no-such-value";
}

function ofOtherType(schema: JsonSchema): unknown {
  const types = typesOf(schema);
  if (types.length === 0 || schema.format === "binary") return undefined;
  return types.includes("object") ? 7 : { no: "such" };
}

/** A text of so many characters that the pattern takes, if any does. */
function textOf({ pattern = "" }: JsonSchema, length: number): string {
  const taken = LETTERS.find((letters) => new RegExp(pattern, "u").test(letters)) ?? "a";
  return taken.length === 1 ? taken.repeat(length) : taken;
}

/** The longest text of letters that a pattern takes which says how many; undefined for others. */
function longestOf({ pattern = "", maxLength }: JsonSchema): string | undefined {
  const most = /\[A-Za-z[^\]]*\]\{1,(\d+)\}\$$/.exec(pattern)?.[1];
  return most === undefined || maxLength !== undefined ? undefined : "a".repeat(Number(most));
}
