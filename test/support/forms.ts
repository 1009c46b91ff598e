/** A form in its encoded form. */
export interface EncodedForm {
  readonly bytes: Uint8Array;
  readonly headers: { readonly "content-type": string };
}

/** A form as encoded by browsers and libraries. */
export async function encodeForm(
  fields: Readonly<Record<string, string | File | readonly (string | File)[]>>,
): Promise<EncodedForm> {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, value as string | File);
  const request = new Request("http://127.0.0.1/", { method: "POST", body: form });
  const type = request.headers.get("content-type") ?? "";
  return { bytes: new Uint8Array(await request.arrayBuffer()), headers: { "content-type": type } };
}

/** A form of these lines, each ended by CRLF, with the boundary `x`. */
export function rawForm(...lines: readonly (string | Uint8Array)[]): EncodedForm {
  const bytes = Buffer.concat(lines.flatMap((line) => [Buffer.from(line as string), Buffer.from("\r\n")]));
  return { bytes, headers: { "content-type": "multipart/form-data; boundary=x" } };
}
