import { expect, test } from "vitest";
import { holdsSecret } from "../../src/core/memories/secrets.js";

test.each([
  `AWS_SECRET_ACCESS_KEY=${"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}`,
  "DB_PASSWORD: hunter2hunter2",
  "The database is at postgres://app:s3cr3tpw@db/prod",
  "The login is admin / Tr0ub4dor",
  "Mein Passwort lautet Sommer2026!",
  "Das WLAN-Passwort ist apfelbaum77",
  "Das Kennwort für den Router: Zaunkönig9",
  "Meine PIN lautet 4711",
  "Mon mot de passe est soleil2026",
  "Le mot de passe du wifi : tournesol88",
  "Mi contraseña es girasol2026",
  "La contraseña del banco es Luna-99",
])("%s is a secret", (text) => {
  expect(holdsSecret(text)).toBe(true);
});

test.each([
  "The login is fast / reliable",
  "The secret of good bread is time",
  "The repository is at https://github.com/acme/app",
  "Mein Passwort ist nicht sicher",
  "Mon mot de passe est trop court",
  "Mi contraseña es muy larga",
  "Passwords are kept in 1Password",
  "User spins wool: a hobby since 2019",
  "A token budget = 4000 words",
])("%s is not a secret", (text) => {
  expect(holdsSecret(text)).toBe(false);
});
