import { Agent, request } from 'undici';

export interface PacedLoadOptions {
  origin: string;
  perSecond: number;
  seconds: number;
  /** The functions that return complete HTTP requests as raw text. They are called in rotation. */
  requests: (() => string)[];
}

/**
 * Sends requests at a fixed rate, without waiting for earlier responses. A client that waits for
 * responses sends fewer requests during a stall, which hides the stall (coordinated omission).
 */
export async function runPacedLoad({
  origin,
  perSecond,
  seconds,
  requests,
}: PacedLoadOptions): Promise<void> {
  const dispatcher = new Agent({ connections: 64 });
  const total = perSecond * seconds;
  const startedAt = performance.now();
  const responses: Promise<unknown>[] = [];
  for (let nth = 0; nth < total; nth += 1) {
    const wait = startedAt + (nth * 1000) / perSecond - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    responses.push(send(requests[nth % requests.length]?.() as string));
  }
  await Promise.all(responses);
  await dispatcher.close();

  async function send(rawRequest: string): Promise<void> {
    const [head = '', body = ''] = rawRequest.split('\r\n\r\n');
    const [first = '', ...headerLines] = head.split('\r\n');
    const [method = 'POST', path = '/'] = first.split(' ');
    const headers = Object.fromEntries(
      headerLines
        .map((headerLine) => headerLine.split(/: (.*)/s, 2) as [string, string])
        .filter(([name]) => !/^(host|content-length|connection)$/i.test(name)),
    );
    const response = await request(`${origin}${path}`, {
      method: method as 'POST',
      headers,
      body,
      dispatcher,
    });
    await response.body.dump();
    if (response.statusCode !== 201) throw new Error(`unexpected status ${response.statusCode}`);
  }
}
