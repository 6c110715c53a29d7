import { Agent, request } from 'undici';

export interface PacedOptions {
  origin: string;
  perSecond: number;
  seconds: number;
  /** Whole requests as they go over the wire, taken in turns. */
  requests: (() => string)[];
}

/** Sends at a steady rate, however long the answers take: waiting for them would hide every stall (coordinated omission). */
export async function runPaced({ origin, perSecond, seconds, requests }: PacedOptions): Promise<void> {
  const dispatcher = new Agent({ connections: 64 });
  const total = perSecond * seconds;
  const startedAt = performance.now();
  const answers: Promise<unknown>[] = [];
  for (let nth = 0; nth < total; nth += 1) {
    const wait = startedAt + (nth * 1000) / perSecond - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    answers.push(send(requests[nth % requests.length]?.() as string));
  }
  await Promise.all(answers);
  await dispatcher.close();

  async function send(wire: string): Promise<void> {
    const [head = '', body = ''] = wire.split('\r\n\r\n');
    const [first = '', ...lines] = head.split('\r\n');
    const [method = 'POST', path = '/'] = first.split(' ');
    const headers = Object.fromEntries(
      lines
        .map((line) => line.split(/: (.*)/s, 2) as [string, string])
        .filter(([name]) => !/^(host|content-length|connection)$/i.test(name)),
    );
    const answer = await request(`${origin}${path}`, { method: method as 'POST', headers, body, dispatcher });
    await answer.body.dump();
    if (answer.statusCode !== 201) throw new Error(`answered ${answer.statusCode}`);
  }
}
