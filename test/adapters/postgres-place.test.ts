import { expect, test } from "vitest";
import { placeOf } from "../../src/adapters/store/postgres/place.js";

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
