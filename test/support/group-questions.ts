import type { ModelRequest } from "./scripted-model.js";

/** A text of a question about several texts, as the model sees it. */
export interface AskedText {
  readonly handle: string;
  readonly text: string;
  /** What is said about it before its first marker. */
  readonly heading: string;
}

/** Name of the schema for the answer, such as `extract_group`. */
export function questionOf({ body }: ModelRequest): string {
  const format = body["response_format"] as { json_schema?: { name?: string } } | undefined;
  return format?.json_schema?.name ?? "";
}

/** The texts of a question about several, in the order of the prompt. */
export function textsOf({ body }: ModelRequest): AskedText[] {
  const prompt = (body.messages ?? []).map(({ content }) => String(content)).join("\n");
  return [...prompt.matchAll(/^(The text d\d+ .*)\n--- ([0-9a-f]{16}) (d\d+)\n([\s\S]*?)\n--- \2 \3$/gm)].map(
    ([, heading = "", , handle = "", text = ""]) => ({ heading, handle, text }),
  );
}
