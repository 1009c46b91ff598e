import { expect } from "vitest";
import { type ContractGroup, inTest, works } from "./effect.js";
import type { World } from "./world.js";

const KNOWN = [
  { content: "Ada keeps bees", metadata: { team: "Core", level: 3, tags: ["x", "y"], ok: true } },
  { content: "Ben keeps hens", metadata: { team: "Sales", level: 10 } },
  { content: "Cleo keeps goats" },
];

type Condition = Readonly<Record<string, unknown>>;

/** The first letters of the memories that match a filter. */
async function passing(world: World, filters: unknown): Promise<string> {
  if ((await world.entries()).length === 0) await world.remember(...KNOWN);
  const found = await world.find("Who keeps animals?", { filters, searchMode: "memories" });
  return found
    .map(({ memory }) => memory[0])
    .toSorted((one, other) => one.localeCompare(other))
    .join("");
}

const all = (...AND: readonly Condition[]) => ({ AND });
const is = (key: string, value: string, more: Condition = {}) => ({ key, value, ...more });
const level = (numericOperator: string, value: string, more: Condition = {}) =>
  is("level", value, { filterType: "numeric", numericOperator, ...more });

/** Checks the matches of each filter. */
const through =
  (...cases: readonly (readonly [unknown, string])[]) =>
  async (world: World) => {
    for (const [filters, expected] of cases)
      expect(await passing(world, filters), JSON.stringify(filters)).toBe(expected);
  };
const refuses =
  (...filters: readonly unknown[]) =>
  async (world: World) => {
    for (const filter of filters) await world.gives(400, "POST", "/v4/search", { q: "x", filters: filter });
  };
const nested = (depth: number): unknown => (depth === 0 ? is("team", "Core") : { AND: [nested(depth - 1)] });

export const filters: readonly ContractGroup[] = [
  {
    heading: "Filters",
    effects: [
      works(
        "Equality compares values as text, including numbers and booleans",
        through([all(is("team", "Core")), "A"], [all(is("level", "3")), "A"], [all(is("ok", "true")), "A"]),
      ),
      works(
        "`AND` requires all conditions, `OR` at least one",
        through(
          [all(is("team", "Core"), is("level", "10")), ""],
          [{ OR: [is("team", "Core"), is("level", "10")] }, "AB"],
        ),
      ),
      works(
        "If a group has both `AND` and `OR`, both must hold",
        through(
          [{ AND: [is("team", "Core")], OR: [is("level", "10")] }, ""],
          [{ AND: [is("team", "Core")], OR: [is("level", "3")] }, "A"],
        ),
      ),
      works(
        "Groups can be nested",
        through([all({ OR: [is("team", "Core"), is("team", "Sales")] } as Condition, level(">", "5")), "B"]),
      ),
      works("An empty list filters nothing", through([{ AND: [] }, "ABC"], [{ OR: [] }, "ABC"])),
      works(
        "`string_contains` matches part of the text",
        through([all(is("team", "ale", { filterType: "string_contains" })), "B"]),
      ),
      works(
        "`array_contains` matches an element; a single value counts as a list of one",
        through(
          [all(is("tags", "y", { filterType: "array_contains" })), "A"],
          [all(is("team", "Core", { filterType: "array_contains" })), "A"],
        ),
      ),
      works(
        "`numeric` compares numbers: `>`, `<`, `>=`, `<=`, `=`, `!=`",
        through(
          [all(level(">", "3")), "B"],
          [all(level("<", "10")), "A"],
          [all(level(">=", "3")), "AB"],
          [all(level("<=", "3")), "A"],
          [all(level("=", "3.0")), "A"],
          [all(level("!=", "3")), "B"],
        ),
      ),
      works(
        "A value that is not a number matches no numeric condition",
        through([all(is("team", "1", { filterType: "numeric", numericOperator: ">" })), ""]),
      ),
      works(
        "`numericOperator` applies only with `numeric`",
        through([all(is("team", "Core", { numericOperator: ">" })), "A"]),
      ),
      works(
        "`negate` inverts a condition; items without the key then match",
        through(
          [all(is("team", "Core", { negate: true })), "BC"],
          [all(is("team", "ale", { filterType: "string_contains", negate: true })), "AC"],
        ),
      ),
      works(
        "`negate` on a numeric condition inverts the operator; items without the key do not match",
        through([all(level("<", "10", { negate: true })), "B"], [all(level("=", "3", { negate: true })), "B"]),
      ),
      works(
        "`ignoreCase` ignores case when comparing whole values, parts and list elements",
        through(
          [all(is("team", "core")), ""],
          [all(is("team", "core", { ignoreCase: true })), "A"],
          [all(is("team", "ALE", { filterType: "string_contains", ignoreCase: true })), "B"],
          [all(is("tags", "Y", { filterType: "array_contains", ignoreCase: true })), "A"],
        ),
      ),
      works(
        "`negate` and `ignoreCase` may be strings",
        through(
          [all(is("team", "core", { ignoreCase: "true", negate: "false" })), "A"],
          [all(is("team", "Core", { negate: "true" })), "BC"],
        ),
      ),
      works("The whole filter may be a JSON string", through([JSON.stringify(all(is("team", "Core"))), "A"])),
      works(
        "A condition outside a group, or anything that is not a filter, returns 400",
        refuses(
          is("team", "Core"),
          "nonsense",
          { XOR: [] },
          all({ key: "a" }),
          all(is("a", "b", { filterType: "like" })),
        ),
      ),
      works("200 conditions are accepted, 201 are not", async (world) => {
        await world.ok("POST", "/v4/search", { q: "x", filters: { OR: Array(200).fill(is("a", "b")) } });
        await refuses({ OR: Array(201).fill(is("a", "b")) })(world);
      }),
      works("Eight levels of nesting are accepted, nine are not", async (world) => {
        await world.ok("POST", "/v4/search", { q: "x", filters: nested(8) });
        await refuses(nested(9))(world);
      }),
      works(
        "A filter key has at most 64 characters: letters, digits, `_`, `.` and `-`",
        refuses(all(is("x".repeat(65), "a")), all(is("a b", "a"))),
      ),
      works(
        "In v4, filters check a memory's own metadata; keys that it lacks are looked up in that of its documents",
        async (world) => {
          await world.add("Dan keeps a dog.", { metadata: { team: "Ops" } });
          expect((await world.find("dog", { searchMode: "memories", filters: all(is("team", "Ops")) })).length).toBe(1);
        },
      ),
      works(
        "Filters combine with containers, `filepath` and `docId`",
        inTest("transports/rest-search", "filters, filepath and docId narrow the search"),
      ),
      works(
        "Filters mean the same in lists, searches and profiles",
        inTest("transports/filter-language", "filters behave as documented, and alike in lists, searches and profiles"),
      ),
    ],
  },
];
