import type { Kysely } from "kysely";
import type { Clock } from "../../core/ports.js";
import type { Database } from "./schema.js";

/** What most repositories work on: a database or a transaction, and the time. */
export interface StoreContext {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}

/** The methods of a port, each of which is given what it works on before anything else. */
export type RepositoryMethods<Port, Context> = {
  readonly [Name in keyof Port]: Port[Name] extends (...parameters: infer Parameters) => infer Result
    ? (context: Context, ...parameters: Parameters) => Result
    : never;
};

/**
 * Makes repositories of such methods. They share a prototype, so that one for each transaction costs nothing but an object;
 * a copy of its own properties has no methods.
 */
export function repositoryOf<Port extends object, Context>(
  methods: RepositoryMethods<Port, Context>,
): (context: Context) => Port {
  class Repository {
    // Not private: an object that stands before a repository, as tests make them, has its methods too.
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
