import { expect, test } from "vitest";
import { isSameDatabase, placeOf } from "../../src/adapters/store/postgres/place.js";

test.each([
  ["postgres://ada:secret@db.example:5433/notes?sslmode=verify-full", "notes at db.example:5433"],
  ["postgres://ada:secret@db.example", "postgres at db.example"],
  ["postgres:///notes?host=/var/run/postgresql&user=ada&password=secret", "notes at /var/run/postgresql"],
  ["postgres:///notes?user=ada&host=db.example&port=5433", "notes at db.example:5433"],
  ["postgres:///notes", "notes at localhost"],
  ["postgres://ada:1234/secret@db.example/notes", "of DATABASE_URL"],
])("%s is named “%s”, which tells databases apart", (url, place) => {
  expect(placeOf(url)).toBe(place);
});

test.each([
  ["postgres://localhost/notes", "postgres://127.0.0.1/notes", true],
  ["postgres://localhost:5433/notes", "postgres://[::1]:5433/notes", true],
  ["postgres://db.example/notes", "postgres://ada:secret@db.example:5432/notes?sslmode=require", true],
  ["postgres:///notes", "postgres://127.0.0.1:5432/notes", true],
  ["postgres://localhost:5433/notes", "postgres://localhost:5434/notes", false],
  ["postgres://localhost/notes", "postgres://localhost/others", false],
  ["postgres://localhost/notes", "postgres://db.example/notes", false],
  ["postgres://localhost.example/notes", "postgres://127.0.0.1/notes", false],
])("%s and %s are the same place: %s", (one, other, isSame) => {
  expect(isSameDatabase(placeOf(one), placeOf(other))).toBe(isSame);
  expect(isSameDatabase(placeOf(other), placeOf(one))).toBe(isSame);
});
