import type { JsonSchema } from "./schema-arbitrary.js";

/** A body that costs as much as possible: its description and its bytes. */
export interface WorstBody {
  readonly what: string;
  readonly bytes: () => Buffer;
}

type Fields = Readonly<Record<string, unknown>>;

export interface WorstOptions {
  readonly schema: JsonSchema;
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** A valid body. */
  readonly example: Fields;
  /** Maximum length of a body. */
  readonly maxBytes: number;
  /** Maximum length of a text. */
  readonly maxTextBytes: number;
  /** The envelope of the body, such as a protocol message. */
  readonly wrap?: (body: string) => string;
  /**
   * Schemas of fields in earlier bodies: values that are hard to read or check are not sent again for a field with the
   * same schema, nor for one that refuses them for the same reason. Values that are hard to store are, since each
   * operation treats them differently.
   */
  readonly tried?: Set<string>;
}

/** More than any list accepts, and slightly less than the maximum number of values in a body. */
const MOST_ENTRIES = 99_000;
/** For lists without a limit. */
const MOST_TAKEN = 10_000;
/** Longer bodies are sent only where they contain texts: all others are refused for their length. */
const LONGEST_ESCAPED = 4 * 1024 * 1024;
const HOLE = "\u0001hole\u0001";

/** Everything that is hard to read, check or store, in every field of a body. */
export function worstBodies(options: WorstOptions): WorstBody[] {
  return [...ofTheWhole(options), ...fieldsOf(options).flatMap((field) => ofField(field, options))];
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  /** The body with a value in this field. */
  readonly put: (value: unknown) => Fields;
}

/** Costly whatever the purpose of the body. */
export function worstOfAll({ maxBytes, wrap = String }: Pick<WorstOptions, "maxBytes" | "wrap">): WorstBody[] {
  const raw = (what: string, text: () => string): WorstBody => ({ what, bytes: () => Buffer.from(wrap(text())) });
  const room = maxBytes - Buffer.byteLength(wrap("")) - 64;
  return [
    raw("brackets", () => "[".repeat(room)),
    raw("pairs of brackets", () => `[${"[],".repeat(room / 3 - 1)}[]]`),
    raw("names for ever", () => `{${'"a":1,'.repeat(room / 6 - 1)}"a":1}`),
    raw("white space", () => " ".repeat(room)),
    raw("digits", () => "1".repeat(room)),
    raw("quotes", () => `"${'\\"'.repeat(room / 2 - 1)}"`),
    raw("a long name", () => `{"${"x".repeat(room - 8)}":1}`),
    raw("letters of two bytes behind one of four", () => `{"x":"\u{1F600}${"é".repeat(room / 2 - 20)}"}`),
  ];
}

const namesByPrefix = new Map<string, string>();

/** Half as many names with values as entries; cached, since creating them takes longer than sending them. */
function names(prefix: string): string {
  const known = namesByPrefix.get(prefix);
  if (known !== undefined) return known;
  const made = Array.from({ length: MOST_ENTRIES / 2 }, (_, index) => `"${prefix}${index}":1`).join();
  namesByPrefix.set(prefix, made);
  return made;
}

/** Whether something is sent for the first time, if earlier values are known. */
function isFirst({ tried }: WorstOptions, what: string): boolean {
  if (tried?.has(what)) return false;
  tried?.add(what);
  return true;
}

function ofTheWhole(options: WorstOptions): WorstBody[] {
  const { schema, components, example, wrap = String } = options;
  const raw = (what: string, text: () => string): WorstBody => ({ what, bytes: () => Buffer.from(wrap(text())) });
  const fields = JSON.stringify({ ...example, more: 1 }).slice(1, -1);
  const misspelt = raw("misspelt names", () => `{${fields},${names("containerTa")}}`);
  const [form] = formsOf(schema, components);
  if (!isFirst(options, `a whole with ${JSON.stringify(form?.additionalProperties)}`)) return [misspelt];
  return [
    raw("names", () => `{${fields},${names("field")}}`),
    misspelt,
    raw("levels", () => `{${fields},"levels":${"[".repeat(60)}${"1,".repeat(MOST_ENTRIES)}1${"]".repeat(60)}}`),
  ];
}

function ofField({ name, schema, put }: Field, options: WorstOptions): WorstBody[] {
  const { components, maxBytes, maxTextBytes, wrap = String } = options;
  const forms = formsOf(schema, components);
  const key = JSON.stringify(forms, (field, value: unknown) => (field === "description" ? undefined : value));
  const isNew = isFirst(options, key);
  const types = forms.map(({ type }) => type);
  /** A value of the wrong type is refused before the field is examined further. */
  const isNewFor = (kind: string): boolean =>
    types.some((type) => type === kind || type === "any") ? isNew : isFirst(options, `${kind} for ${types.join()}`);
  const room = maxBytes - Buffer.byteLength(wrap(JSON.stringify(put("")))) - 64;
  /** Inserted as text in place of the value, since encoding it as JSON would take longer than everything else. */
  const raw = (what: string, json: () => string): WorstBody => ({
    what: `${name}: ${what}`,
    bytes: () => Buffer.from(wrap(JSON.stringify(put(HOLE)).replace(JSON.stringify(HOLE), json))),
  });
  const entries = (count: number, item: string) => (): string =>
    `[${`${item},`.repeat(Math.max(1, Math.min(count, Math.floor(room / (Buffer.byteLength(item) + 1)) - 1)))}${item}]`;
  const kept = [];
  const read = [
    ...(isNewFor("array") ? [raw("many numbers", entries(MOST_ENTRIES, "1"))] : []),
    ...(isNewFor("object") ? [raw("many names", () => `{${names("n")}}`)] : []),
  ];
  for (const form of forms) {
    if (form.type === "array") {
      const item = JSON.stringify(exampleOf(form.items ?? {}, components));
      kept.push(raw("as many entries as it takes", entries((form.maxItems ?? MOST_TAKEN) - 1, item)));
      if (isNew) read.push(raw("more entries than it takes", entries(MOST_ENTRIES / 2, item)));
    }
    if (form.type === "object" && form.properties === undefined)
      kept.push(raw("many texts", () => `{${Array.from({ length: 9_999 }, (_, i) => `"n${i}":"t"`).join()}}`));
    const isLong = (form.maxLength ?? Infinity) > 50_000 && form.enum === undefined;
    if (form.type === "string" && (isLong ? isNew : isFirst(options, `escapes for ${form.pattern} ${form.format}`)))
      read.push(raw("escapes", () => `"${"\\u0061".repeat(Math.min(room, LONGEST_ESCAPED) / 6)}"`));
    if (form.type === "string" && isLong && isNew)
      for (const [what, piece] of Object.entries(TEXTS))
        read.push(raw(what, () => JSON.stringify(piece.repeat(maxTextBytes / Buffer.byteLength(piece)))));
  }
  return [...kept, ...read];
}

/** Each a part of a valid text that is hard for some reader of texts. */
const TEXTS: Readonly<Record<string, string>> = {
  prose: "Mia keeps bees on the roof of her house in Porto. She moved there in May 2024 with Tom. ",
  "short lines": "a\n",
  hidden: "b\u00ad@",
};

/** More of the same, each the hardest for some reader of documents. */
export const HARD_TEXTS: Readonly<Record<string, string>> = {
  ...TEXTS,
  "one word": "a",
  "short words": "a ",
  headings: "# a\n",
  tables: "| a | b |\n",
  fences: "```\nx\n```\n",
  labels: "a: b\n",
  turns: "user: I live in Porto\n\n",
  "without spaces": "我喜欢喝茶。",
  "emoji in sequences": "👩‍👩‍👧‍👦",
};

/** Fields of the body, and of the entries of its lists. */
function fieldsOf({ schema, components, example }: WorstOptions): Field[] {
  return Object.entries(propertiesOf(schema, components)).flatMap(([name, field]): Field[] => {
    const own: Field = { name, schema: field, put: (value) => ({ ...example, [name]: value }) };
    const items = formsOf(field, components).find(({ type }) => type === "array")?.items;
    if (items === undefined) return [own];
    const item = exampleOf(items, components);
    const inner = Object.entries(propertiesOf(items, components)).map(([key, part]): Field => ({
      name: `${name}[].${key}`,
      schema: part,
      put: (value) => ({ ...example, [name]: [{ ...Object(item), [key]: value }] }),
    }));
    return [own, ...inner];
  });
}

function propertiesOf(
  schema: JsonSchema,
  components: WorstOptions["components"],
): Readonly<Record<string, JsonSchema>> {
  return Object.assign({}, ...formsOf(schema, components).map(({ properties }) => properties));
}

/** A schema in all its variants, without references. */
function formsOf(schema: JsonSchema, components: WorstOptions["components"]): JsonSchema[] {
  const target = schema.$ref === undefined ? schema : components[schema.$ref.split("/").at(-1) ?? ""];
  const variants = target?.anyOf ?? target?.oneOf;
  if (variants) return variants.flatMap((variant) => formsOf(variant, components));
  return [target?.type ?? "any"].flat().map((type) => ({ ...target, type }));
}

/** A small value that a schema allows. */
export function exampleOf(schema: JsonSchema, components: WorstOptions["components"]): unknown {
  const [form] = formsOf(schema, components);
  if (form?.const !== undefined) return form.const;
  if (form?.enum) return form.enum[0];
  switch (form?.type) {
    case "string":
      return form.format === "date-time" ? "2024-05-06T07:08:09Z" : "mia";
    case "integer":
    case "number":
      return form.minimum ?? 1;
    case "boolean":
      return false;
    case "array":
      return [exampleOf(form.items ?? {}, components)];
    case "object": {
      const { properties = {}, required = [] } = form;
      return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {}, components)]));
    }
    default:
      return "mia";
  }
}
