/** A calendar component, such as an event. Names are in lower case. */
export interface Component {
  readonly name: string;
  readonly properties: readonly Property[];
  readonly components: readonly Component[];
}

export interface Property {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly values: readonly PropertyValue[];
}

export type PropertyValue = string | Readonly<Record<string, string>>;

/** Nesting depth that is read; calendars need three. */
const DEEPEST = 8;

/** Parses the calendars in a text; null if it is not a calendar. */
export async function readComponents(text: string): Promise<Component[] | null> {
  const { default: library } = await import("ical.js");
  let parsed: unknown;
  try {
    parsed = library.parse(text);
  } catch {
    return null;
  }
  const all: readonly unknown[] = Array.isArray(parsed) && Array.isArray(parsed[0]) ? parsed : [parsed];
  const components = all.flatMap((one) => componentOf(one, 0));
  return components.length === 0 ? null : components;
}

/** `[name, properties, components]`, as returned by the library. */
function componentOf(one: unknown, depth: number): Component[] {
  if (!Array.isArray(one) || depth > DEEPEST) return [];
  const [name, properties, components] = one as readonly unknown[];
  if (typeof name !== "string" || !Array.isArray(properties) || !Array.isArray(components)) return [];
  return [
    {
      name,
      properties: properties.flatMap(propertyOf),
      components: components.flatMap((inner) => componentOf(inner, depth + 1)),
    },
  ];
}

/** `[name, parameters, type, value, value, …]`. */
function propertyOf(one: unknown): Property[] {
  if (!Array.isArray(one)) return [];
  const [name, parameters, , ...values] = one as readonly unknown[];
  if (typeof name !== "string") return [];
  return [{ name, parameters: recordOf(parameters), values: values.flatMap(valuesOf) }];
}

function valuesOf(value: unknown): PropertyValue[] {
  if (Array.isArray(value)) return [value.map(textOf).join(" ").trim()];
  return [typeof value === "object" && value !== null ? recordOf(value) : textOf(value)];
}

function recordOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, textOf(part)]));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(",");
  return plainText(value);
}

/** What the library returns for a date where a date-time was expected. */
const DAY_WITHOUT_TIME = /^(\d{4}-\d{2}-\d{2})T::$/;

function plainText(value: unknown): string {
  if (typeof value === "string") return value.replace(DAY_WITHOUT_TIME, "$1");
  return typeof value === "number" || typeof value === "boolean" ? `${value}` : "";
}
