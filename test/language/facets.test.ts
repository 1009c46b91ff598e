import { describe, expect, test } from "vitest";
import { askedFacets, toldFacets } from "../../src/language/facets/facets.js";

function answers(question: string, statement: string): boolean {
  const told = toldFacets(statement);
  return askedFacets(question).some(({ facet }) => told.has(facet));
}

describe("a question about drinks", () => {
  test.each(["The door is blue", "The VPN gateway is vpn.example.org", "Te llamo mañana", "Ti penso e te lo dico"])(
    "is not answered by %s",
    (statement) => {
      expect(answers("What do I like to drink?", statement)).toBe(false);
    },
  );

  test.each([
    "Elle boit du thé",
    "J'aime le thé vert",
    "Tomo un té verde",
    "Prende un tè",
    "Mia likes tea",
    "Er trinkt Tee",
  ])("is answered by %s", (statement) => {
    expect(answers("What do I like to drink?", statement)).toBe(true);
  });
});
