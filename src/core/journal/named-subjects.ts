import { isId } from "../../lib/ids.js";
import { containerTagSchema } from "../input.js";
import { MOST_NAMES } from "./audit-trail.js";

/** The most entries of a list, and the most texts at a path, that are examined. */
const MOST_VALUES = 200;

/** Paths to names, such as `documents.containerTags`; a list stands for each of its entries. */
interface Places<Path extends string> {
  readonly tags?: readonly Path[];
  readonly ids?: readonly Path[];
}

/** Where the input and the answer of a use case name its subjects. */
export interface Subjects {
  readonly input: Places<string>;
  readonly answer: Places<string>;
}

type Answer<UseCase extends (...args: never) => unknown> = Awaited<ReturnType<UseCase>>;

/** Paths to the texts of a value, and to lists of texts, up to three fields deep. */
type PathOf<Value, Deeper extends readonly unknown[] = [1, 2]> = Value extends readonly (infer Entry)[]
  ? PathOf<Entry, Deeper>
  : Value extends object
    ? { [Field in keyof Value & string]-?: PathThrough<Field, Value[Field], Deeper> }[keyof Value & string]
    : never;

type PathThrough<Field extends string, Value, Deeper> = Value extends string | readonly string[]
  ? Field
  : Deeper extends readonly [unknown, ...infer Left]
    ? `${Field}.${PathOf<Value, Left>}`
    : never;

/** @param answer may be omitted if the answer names nothing; the compiler checks its paths */
export function subjects<UseCase extends (...args: never) => unknown>(
  input: Places<string>,
  answer: Places<PathOf<Answer<UseCase>>> = {},
): Subjects {
  return { input, answer };
}

/** Names recorded in an audit entry. */
export interface NamedSubjects {
  readonly containerTags: string[];
  readonly subjectIds: string[];
}

/**
 * The container tags and ids at the paths of a use case, the first 20 of each. An input may be anything: whatever does not have
 * the form of a tag, or of one of our own ids, is left out.
 */
export function namedSubjects(places: Subjects, input: unknown, answer: unknown): NamedSubjects {
  const textsOf = (kind: keyof Places<string>) => [
    ...textsAt(input, places.input[kind] ?? []),
    ...textsAt(answer, places.answer[kind] ?? []),
  ];
  return { containerTags: firstNames(textsOf("tags"), isTag), subjectIds: firstNames(textsOf("ids"), isId) };
}

function isTag(text: string): boolean {
  return containerTagSchema.safeParse(text).success;
}

function firstNames(texts: readonly string[], isName: (text: string) => boolean): string[] {
  return [...new Set(texts.filter(isName))].slice(0, MOST_NAMES);
}

function textsAt(value: unknown, paths: readonly string[]): string[] {
  // A list has no fields of its own.
  if (Array.isArray(value)) return [];
  return paths.flatMap((path) => [...textsWithin(value, path.split("."))].slice(0, MOST_VALUES));
}

function* textsWithin(value: unknown, [field, ...rest]: readonly string[]): Generator<string> {
  for (const one of Array.isArray(value) ? value.slice(0, MOST_VALUES) : [value])
    if (field === undefined) {
      if (typeof one === "string") yield one;
    } else if (typeof one === "object" && one !== null && Object.hasOwn(one, field))
      yield* textsWithin(Reflect.get(one, field), rest);
}
