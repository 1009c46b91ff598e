/** A message of a source, as a service behind a proxy gets it. */
export interface Delivery {
  /** Where the service says that it is reached. */
  readonly address: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Delivered {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** Sends a message over HTTP to where the service listens in truth. */
export async function deliver(listening: string, { address, query = "", headers, body }: Delivery): Promise<Delivered> {
  const answer = await fetch(`${listening}${new URL(address).pathname}${query}`, {
    method: "POST",
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}
