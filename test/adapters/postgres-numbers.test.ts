import fc from "fast-check";
import pg from "pg";
import { expect, test } from "vitest";
import { numberOf } from "../../src/adapters/store/filter-evaluation.js";
import { migrate } from "../../src/adapters/store/postgres/migrate.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";

const ODD = [
  "1e-400 -1e-400 1e400 -1e400 0e999999 1e-99999999999999999999 1e99999999999999999999 5e-324 2e-324 3e-324",
  "1.7976931348623157e308 1.7976931348623159e308 0x1p3 0x10 -0x10 +0x10 0x 0x1.8 0xfg 0XFF 0b11 0B10 -0b1 0b 0b12",
  "0o17 0O7 0o8 +5 +-5 .5 5. . +.5 -.e5 e5 1e 1e+ 1e5.5 1_000 1,5 5f Infinity -Infinity inf NaN nan(1) 00012 ٣ ½",
  "0x20000000000001 0x20000000000003 9007199254740993 0.1 1e21 123456789012345678901234567890",
]
  .join(" ")
  .split(" ")
  .concat("", " ", "1 2", `0.${"0".repeat(400)}1`, `1${"0".repeat(400)}`, `1${"0".repeat(400)}e-400`)
  .concat(`0.${"0".repeat(400)}1e401`, `${"0".repeat(400)}.${"0".repeat(400)}`, `0x${"f".repeat(256)}`)
  .concat(`0b${"1".repeat(1_024)}`, `0b${"1".repeat(53)}${"0".repeat(971)}`, `0x${"0".repeat(2_000)}1`, "9".repeat(309))
  .concat(
    "\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u202f\u205f\u3000\ufeff\u200b\u0085"
      .split("")
      .map((space) => `${space}7${space}`),
  );

const part = fc.constantFrom(
  ..."0123456789abefxobXOB.+-eE \u00a0_n".split(""),
  "0x",
  "0b",
  "0o",
  "e-3",
  "e30",
  "e-320",
  "Infinity",
);
const made = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
const plain = fc.oneof(fc.double(), fc.maxSafeInteger()).map(String);

/** Tells 0 from -0 as little as a comparison does. */
const compared = (number: number | null): number | null => (number === 0 ? 0 : number);

describeOnPostgres("numbers written as text, which a filter compares", (server) => {
  test("are the same for PostgreSQL as for SQLite", async () => {
    const pool = new pg.Pool({ connectionString: await server.createDatabase() });
    try {
      await migrate(pool, "of the test");
      const drawn = fc.sample(fc.oneof(made, plain), { numRuns: 20_000, seed: 20_261_201 });
      const texts = [...ODD, ...drawn];
      const { rows } = await pool.query<{ number: number | null }>(
        "select to_number(content) as number from unnest($1::text[]) with ordinality as given(content, place) order by place",
        [texts],
      );
      const read = texts.map((text, place) => [text, compared(rows[place]?.number ?? null)]);
      expect(read).toEqual(texts.map((text) => [text, compared(numberOf(text))]));
      expect(drawn.filter((text) => numberOf(text) !== null).length).toBeGreaterThan(5_000);
    } finally {
      await pool.end();
    }
  });
});
