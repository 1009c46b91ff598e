import type { OpenedRest, RestAnswer } from "../rest.js";

type Body = Readonly<Record<string, unknown>>;

/** A container for the probe, and the world shared by all probes. */
export interface Place {
  readonly rest: OpenedRest;
  readonly tag: string;
  /** Ids of things in the shared world, by name. */
  readonly ids: Readonly<Record<string, string>>;
}

/** A request that is sent once without a field and once with it. */
export interface Sent {
  readonly body?: Body;
  /** Sent as a form instead of the body: texts, lists of texts, and files. */
  readonly form?: Body;
  /** After the path, with its `?`. */
  readonly query?: string;
}

/** How a field shows an effect: the same request without and with it, and what is observed after each. */
export interface Probe {
  readonly without: (place: Place) => Sent;
  readonly with: (place: Place) => Sent;
  readonly path?: ((place: Place) => string) | undefined;
  /** Preparation of the container. */
  readonly before?: ((place: Place) => Promise<unknown>) | undefined;
  /** What is observed in addition to the response. */
  readonly see?: ((place: Place, answer: RestAnswer) => Promise<unknown>) | undefined;
}

/** A field: its probe, or why there is none. */
export type Effect = Probe | { readonly reason: string };

/** The fields of a route that are tested with the same request. */
export interface Route {
  readonly base: (place: Place) => Body;
  readonly path?: Probe["path"];
  /** Parameters of each request, except those that test them. */
  readonly query?: (place: Place) => Readonly<Record<string, string>>;
  readonly before?: Probe["before"];
  readonly see?: Probe["see"];
  /** A value is set in the base, or replaces the one there. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A field that the base has, because nothing works without it. */
export const REQUIRED = Symbol("required");

/** A field that is not probed, with the reason. */
export function unprobed(reason: string): { readonly reason: string } {
  return { reason };
}

/** A probe with its own two bodies. */
export class Bodies {
  readonly without: (place: Place) => Body;
  readonly withField: (place: Place) => Body;

  constructor(without: (place: Place) => Body, withField: (place: Place) => Body) {
    this.without = without;
    this.withField = withField;
  }
}

/** The effects of the fields of one route, by route and field. */
export function effectsOf(
  route: string,
  { base, fields, query = () => ({}), ...shared }: Route,
): Record<string, Effect> {
  const effects = Object.entries(fields).map(([field, spec]): [string, Effect] => {
    const key = `${route} ${field}`;
    if (isReason(spec)) return [key, spec];
    if (spec instanceof Bodies)
      return [
        key,
        { ...shared, without: (p) => ({ body: spec.without(p) }), with: (p) => ({ body: spec.withField(p) }) },
      ];
    if (spec === REQUIRED) {
      const without = (place: Place) => ({ body: set(base(place), field, undefined) });
      return [key, { ...shared, without, with: (place) => ({ body: base(place) }) }];
    }
    const valueAt = typeof spec === "function" ? (spec as (place: Place) => unknown) : () => spec;
    if (field.startsWith("?")) {
      const withParameter = (place: Place) => ({ ...query(place), [field.slice(1)]: String(valueAt(place)) });
      const without = (place: Place) => ({ query: queryOf(query(place)) });
      return [key, { ...shared, without, with: (place) => ({ query: queryOf(withParameter(place)) }) }];
    }
    const withField = (place: Place) => ({ body: set(base(place), field, valueAt(place)) });
    return [key, { ...shared, without: (place) => ({ body: set(base(place), field, undefined) }), with: withField }];
  });
  return Object.fromEntries(effects);
}

/** The same for a route that accepts forms. */
export function formEffectsOf(...asked: Parameters<typeof effectsOf>): Record<string, Effect> {
  const asForm = (sent: Probe["with"]) => (place: Place) => ({ form: sent(place).body ?? {} });
  const effects = Object.entries(effectsOf(...asked)).map(([field, effect]): [string, Effect] => [
    field,
    "reason" in effect ? effect : { ...effect, without: asForm(effect.without), with: asForm(effect.with) },
  ]);
  return Object.fromEntries(effects);
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
  return `?${new URLSearchParams(parameters).toString()}`;
}

function isReason(spec: unknown): spec is { readonly reason: string } {
  return typeof spec === "object" && spec !== null && Object.keys(spec).join() === "reason";
}

/** A body with another value at `facts[].text` or `include.documents`; a list gets one entry for it. */
function set(body: Body, field: string, value: unknown): Body {
  const [name = "", ...rest] = field.split(".");
  const isList = name.endsWith("[]");
  const key = isList ? name.slice(0, -2) : name;
  if (rest.length === 0) {
    const { [key]: _before, ...others } = body;
    return value === undefined ? others : { ...others, [key]: value };
  }
  const inner = Array.isArray(body[key]) ? (body[key] as unknown[])[0] : body[key];
  const changed = set((inner ?? {}) as Body, rest.join("."), value);
  return { ...body, [key]: isList ? [changed] : changed };
}
