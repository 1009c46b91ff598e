import type { Kysely } from "kysely";
import type { Clock } from "../../core/ports.js";
import type { Database } from "./schema.js";

/** What most repositories work on: a database or a transaction, and the clock. */
export interface StoreContext {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}

/** The methods of a port as functions that take what they work on as their first parameter. */
export type RepositoryMethods<Port, Context> = {
  readonly [Name in keyof Port]: Port[Name] extends (...parameters: infer Parameters) => infer Result
    ? (context: Context, ...parameters: Parameters) => Result
    : never;
};

/**
 * Turns such functions into a factory of repositories. These share a prototype, so that another one for each transaction costs
 * only a small object. Their methods need `this`, and are not copied by `{ ...repository }`.
 */
export function repositoryOf<Port extends object, Context>(
  methods: RepositoryMethods<Port, Context>,
): (context: Context) => Port {
  class Repository {
    // Not private: tests wrap a repository in an object that has it as prototype.
    readonly context: Context;

    constructor(context: Context) {
      this.context = context;
    }
  }
  for (const [name, method] of Object.entries<(context: Context, ...parameters: unknown[]) => unknown>(methods))
    Object.defineProperty(Repository.prototype, name, {
      configurable: true,
      writable: true,
      value(this: Repository, ...parameters: unknown[]): unknown {
        return method(this.context, ...parameters);
      },
    });
  // Its prototype has a method for each name of the port.
  return (context) => new Repository(context) as Repository & Port;
}
