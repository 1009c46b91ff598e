import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { MIGRATIONS as OF_SQLITE } from "../../src/adapters/store/migrations/index.js";
import { MIGRATIONS as OF_POSTGRES } from "../../src/adapters/store/postgres/migrations/index.js";

/** The beginnings of the SHA-256 digests of all released migrations. */
const RELEASED = {
  sqlite: [
    "81210752",
    "77b0e46f",
    "42c1259d",
    "98679061",
    "0a0e611f",
    "6f383409",
    "5bef6af6",
    "84ea3053",
    "38f1f427",
    "e366b15b",
    "c72cb1df",
    "ac927dae",
    "87c2aa25",
    "1d657ca7",
    "f579da8e",
    "d16d6b27",
    "ee194350",
    "16e5f7cd",
    "df530efd",
    "155b25b0",
    "a8e90794",
    "b329f920",
    "0cbcb690",
    "cb2c114f",
    "ca91148f",
    "933d4912",
    "feffac21",
    "6ca73cb8",
  ],
  postgres: ["ffe12ca8", "e70a703a", "78d90f16", "1285fa3c", "c664a86b"],
};

const digestsOf = (migrations: readonly string[]): string[] =>
  migrations.map((migration) => createHash("sha256").update(migration).digest("hex").slice(0, 8));

test("released migrations are never edited: a change is a new migration, listed here", () => {
  expect({ sqlite: digestsOf(OF_SQLITE), postgres: digestsOf(OF_POSTGRES) }).toEqual(RELEASED);
});
