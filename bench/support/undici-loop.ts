/** The baseline of deliveries: a process that posts the same bodies to the same receivers with undici, and does nothing else. */
import { Agent, request } from 'undici';

interface Loop {
  urls: string[];
  body: string;
  count: number;
  perEndpoint: number;
}

process.once('message', async ({ urls, body, count, perEndpoint }: Loop) => {
  const dispatcher = new Agent();
  let next = 0;
  const work = async (url: string) => {
    while (next < count) {
      next += 1;
      const headers = { 'content-type': 'application/json', 'webhook-id': `${next}` };
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      await answer.body.dump();
    }
  };
  // A first round opens the connections, as those of the product are open by the time it is measured.
  const startedAt = performance.now();
  await Promise.all(urls.flatMap((url) => Array.from({ length: perEndpoint }, () => work(url))));
  process.send?.(performance.now() - startedAt);
  process.disconnect();
});
