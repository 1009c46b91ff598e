/** A message from a source, as received by a service behind a proxy. */
export interface Delivery {
  /** The public address of the service. */
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

/** Sends a message over HTTP to the address where the service really listens. */
export async function deliver(listening: string, { address, query = "", headers, body }: Delivery): Promise<Delivered> {
  const answer = await fetch(`${listening}${new URL(address).pathname}${query}`, {
    method: "POST",
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}
