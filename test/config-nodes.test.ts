import pg from "pg";
import { describe, expect, test } from "vitest";
import { placeOf } from "../src/adapters/store/postgres/place.js";
import { isPostgresUrl, readConfig } from "../src/config.js";

describe("several nodes", () => {
  const shared = {
    RECOLLECT_NODES: "several",
    DATABASE_URL: "postgres://ada:secret@database.example/recollect",
    RECOLLECT_BLOBS: "s3://files",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    RECOLLECT_SECRET_KEY: "0123456789abcdef0123456789abcdef",
  };

  test("share a database, a bucket and a key", () => {
    expect(readConfig(shared).hasSeveralNodes).toBe(true);
    expect(readConfig({ ...shared, RECOLLECT_NODES: undefined }).hasSeveralNodes).toBe(false);
  });

  test.each(["DATABASE_URL", "RECOLLECT_BLOBS", "RECOLLECT_SECRET_KEY"] as const)("are refused without %s", (name) => {
    expect(() => readConfig({ ...shared, [name]: undefined })).toThrow(`"several", but ${name} is not set`);
  });

  test.each([
    ["DATABASE_URL", "mysql://database.example/recollect"],
    ["RECOLLECT_BLOBS", "s3:/files"],
    ["RECOLLECT_SECRET_KEY", "too short"],
  ])("are told what is wrong with %s, and not that it is not set", (name, value) => {
    expect(() => readConfig({ ...shared, [name]: value })).toThrow(new RegExp(`^${name} must [^\n]*$`));
  });

  test("share a Chroma server, or search exactly: none starts one of its own", () => {
    const url = "http://chroma.example:8000";
    expect(readConfig(shared)).toMatchObject({ vectors: "exact", chroma: undefined });
    expect(readConfig({ ...shared, RECOLLECT_VECTORS: "auto" }).vectors).toBe("exact");
    expect(readConfig({ ...shared, CHROMA_URL: url })).toMatchObject({ vectors: "auto", chroma: { url } });
    expect(() => readConfig({ ...shared, RECOLLECT_VECTORS: "exact", CHROMA_URL: url })).toThrow("does not use Chroma");
  });
});

test.each([
  [{}, "postgres://ada@localhost/notes", "ada", "localhost", 5432, "notes"],
  [{ PGPORT: "5433" }, "postgres://ada@localhost/notes", "ada", "localhost", 5433, "notes"],
  [{ PGPORT: "5433" }, "postgres://ada@localhost:5434/notes", "ada", "localhost", 5434, "notes"],
  [{ PGPORT: "5433" }, "postgres://ada@localhost/notes?port=5434", "ada", "localhost", 5434, "notes"],
  [{ PGHOST: "db.example", PGDATABASE: "my notes" }, "postgres://", undefined, "db.example", 5432, "my notes"],
  [{ PGHOST: "db.example" }, "postgres://ada:a%2Fb@other.example/notes", "ada", "other.example", 5432, "notes"],
] as const)("with %j, %s names the database that the driver uses", (variables, url, user, host, port, database) => {
  const { databaseUrl } = readConfig({ DATABASE_URL: url, ...variables });
  const client = new pg.Client({ connectionString: databaseUrl, ...(user === undefined && { user: "ada" }) });
  expect(client).toMatchObject({ host, port, database });
  expect(placeOf(databaseUrl ?? "")).toBe(
    `${new URL(databaseUrl ?? "").pathname.slice(1)} at ${host}${port === 5432 ? "" : `:${port}`}`,
  );
});

test.each([
  ["postgres://ada:50%25@db.example/notes", true],
  ["postgres://ada:secret@db.example/notes?application_name=50%", true],
  ["postgres://ada:secret@db.example/notes?application_name=100%&port=5433", true],
  ["postgres://ada:50%@db.example/notes", true],
  ["postgres://ada:50%ff@db.example/notes", false],
  ["postgres://ada:secret@db.example/50%c3", false],
])("%s is accepted where the driver can read it: %s", (url, isAccepted) => {
  const connect = () => new pg.Client({ connectionString: url });
  if (isAccepted) expect(connect).not.toThrow();
  else expect(connect).toThrow();
  expect(isPostgresUrl(url)).toBe(isAccepted);
});
