import type { ModelWorld, World } from "./world.js";

/** Checks over HTTP that a promise holds; fails when it does not. */
type Probe<Place> = (world: Place) => Promise<unknown>;

/** What shows that a promise holds: its own probe, another test, or the probe of a request field. */
export type Shown<Place> =
  Probe<Place> | { readonly test: string; readonly title: string } | { readonly field: string };

/** A promise of the API and its state; one that does not hold says why. */
export type ContractEffect =
  | { readonly promise: string; readonly standing: "works"; readonly shown: Shown<World> }
  | { readonly promise: string; readonly standing: "with-model"; readonly shown: Shown<ModelWorld> }
  | { readonly promise: string; readonly standing: "not"; readonly because: string; readonly shown: Shown<World> };

/** Promises of one part of the API. */
export interface ContractGroup {
  readonly heading: string;
  readonly effects: readonly ContractEffect[];
}

/** Holds in every installation. */
export const works = (promise: string, shown: Shown<World>): ContractEffect => ({ promise, standing: "works", shown });

/** Holds when a language model is configured. */
export const worksWithModel = (promise: string, shown: Shown<ModelWorld>): ContractEffect => ({
  promise,
  standing: "with-model",
  shown,
});

/** Does not hold; the probe shows what happens instead. */
export const doesNot = (promise: string, because: string, shown: Shown<World>): ContractEffect => ({
  promise,
  standing: "not",
  because,
  shown,
});

/** Shown by another test: its path below `test/` without `.test.ts`, and its title. */
export const inTest = (path: string, title: string) => ({ test: `test/${path}.test.ts`, title });

/** Shown by the probe of a field, such as `POST /v4/search limit`. */
export const ofField = (field: string) => ({ field });
