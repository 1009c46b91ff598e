/** The filter language of contract 1.13, parsed. */
export type FilterExpression =
  { readonly all: readonly FilterExpression[] } | { readonly any: readonly FilterExpression[] } | FilterCondition;

export interface FilterCondition {
  readonly key: string;
  readonly value: string;
  readonly type: "metadata" | "numeric" | "array_contains" | "string_contains";
  readonly operator: ">" | "<" | ">=" | "<=" | "=" | "!=";
  readonly negate: boolean;
  readonly ignoreCase: boolean;
}
