import { expect, test } from "vitest";
import { titleFromText } from "../../src/core/documents/document-title.js";

const titleOfMessages = (messages: unknown) =>
  titleFromText({ content: JSON.stringify(messages), turns: null, filepath: null });

test("the title of messages with pictures comes from their text", () => {
  const url = `data:image/png;base64,${"iVBORw0KGgoAAAANSUhEUgAAAEAAAABA".repeat(100)}`;
  const shown = { type: "image_url", image_url: { url } };
  const said = { type: "text", text: "Here is the map of my garden." };
  expect(titleOfMessages([{ role: "user", content: [said, shown] }])).toMatch(/map of my garden/i);
  expect(titleOfMessages([{ role: "user", content: [shown, said] }])).toMatch(/map of my garden/i);
});
