import type { JsonSchema } from "../schema-arbitrary.js";

/** One limit of one field: what the document accepts at its edge, and what it refuses just beyond. */
export interface Bound {
  /** Field names and list positions that lead to it. */
  readonly path: readonly (string | number)[];
  /** For example `maxLength 255`. */
  readonly rule: string;
  /** Complete values with the field at the limit; none if no value can show it. */
  readonly within: readonly unknown[];
  /** Complete values with the field just beyond it. */
  readonly beyond: readonly unknown[];
}

type Components = Readonly<Record<string, JsonSchema>>;

/** Values of fields by name that are more meaningful than the smallest valid one, if their type fits. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/** Characters for texts that must match a pattern; the first that fits. */
const LETTERS = ["a", "1", "and", "a@example.org"];
/** Matches no pattern and no list of values. */
const NONSENSE = "no such: \u00E9?";

/** Limits of values, by the schemas of an API document. */
export class Bounds {
  readonly #components: Components;
  readonly #known: Known;

  constructor(components: Components, known: Known = {}) {
    this.#components = components;
    this.#known = known;
  }

  /** Every limit in the schema and its parts. Recursive references are followed once. */
  of(schema: JsonSchema, name = "", seen: readonly string[] = []): Bound[] {
    if (schema.$ref !== undefined)
      return seen.includes(schema.$ref) ? [] : this.of(this.#target(schema.$ref), name, [...seen, schema.$ref]);
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants) return variants.flatMap((variant) => this.of(variant, name, seen));
    return [...this.#own(schema, name), ...this.#inFields(schema, name, seen), ...this.#inItems(schema, name, seen)];
  }

  /** The smallest value that the schema accepts. */
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

  /** Items that differ if they are texts, since a list may not count duplicates. */
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

/** True for a value of the schema's type, an object only if it has no unknown fields. */
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

/** A text of this many characters that the pattern accepts, if there is one. */
function textOf({ pattern = "" }: JsonSchema, length: number): string {
  const taken = LETTERS.find((letters) => new RegExp(pattern, "u").test(letters)) ?? "a";
  return taken.length === 1 ? taken.repeat(length) : taken;
}

/** The longest text of letters for a pattern that states a length; undefined for others. */
function longestOf({ pattern = "", maxLength }: JsonSchema): string | undefined {
  const most = /\[A-Za-z[^\]]*\]\{1,(\d+)\}\$$/.exec(pattern)?.[1];
  return most === undefined || maxLength !== undefined ? undefined : "a".repeat(Number(most));
}
